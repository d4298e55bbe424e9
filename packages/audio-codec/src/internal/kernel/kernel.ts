import type { Kernel } from "./kernelInterface.js"
import { kernelModule } from "./kernelModule.js"
import { makePlainKernel } from "./plainKernel.js"

/** Samples that are worked on at once: they and their result stay in a processor's cache. */
export const blockSamples = 8192

/** Samples that the kernel encodes at once; it reads and overwrites up to as many behind the end of a block. */
export const encodedGroup = 32

/** What lies where in memory, in bytes: the windows of filters, blocks before and after conversion, and taps. */
export const memorySize = 96 * 65_536
export const windowsRegion = 0
/** Samples that a region for blocks holds, of 8 bytes each: a frame of any WAV file. */
export const regionSamples = 65_536
export const bytesRegion = 32 * 65_536
export const samplesRegion = 40 * 65_536
export const tapsRegion = 48 * 65_536

/** What is used of `WebAssembly`, which the types of Node leave out. */
interface Runtime {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: object }
  }
}

type Exports = Omit<Kernel, "memory"> & { readonly memory: { readonly buffer: ArrayBuffer } }

/** The kernel in WebAssembly, or `undefined` where the runtime has none, or none with vectors. */
export const makeWasmKernel = (): Kernel | undefined => {
  try {
    const { WebAssembly } = globalThis as unknown as Runtime
    const bytes = Uint8Array.from(atob(kernelModule), (character) => character.charCodeAt(0))
    const { memory, ...functions } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Exports
    return { ...functions, memory: memory.buffer }
  } catch {
    return undefined
  }
}

export const kernel: Kernel = /* @__PURE__ */ makeWasmKernel() ?? makePlainKernel(memorySize)
