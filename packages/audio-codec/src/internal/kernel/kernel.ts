import { kernelModule } from "./kernelModule.js"
import { type Kernel, makePlainKernel } from "./plainKernel.js"

/** The samples in a block: they and their result stay in the processor's cache. */
export const blockSamples = 8192

/** The samples that the kernel encodes at once. It reads and overwrites up to as many behind the end of a block. */
export const encodedGroup = 32

/** The regions of the memory, in bytes: windows of filters, blocks before and after conversion, and taps. */
export const memorySize = 96 * 65_536
export const windowsRegion = 0
/** The samples of 8 bytes that a region for blocks holds: enough for one frame of any WAV file. */
export const regionSamples = 65_536
export const bytesRegion = 32 * 65_536
export const samplesRegion = 40 * 65_536
export const tapsRegion = 48 * 65_536

/** The part of `WebAssembly` that is used here. The types of Node leave it out. */
interface Runtime {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: object }
  }
}

type Exports = Omit<Kernel, "memory"> & { readonly memory: { readonly buffer: ArrayBuffer } }

/** The kernel in WebAssembly, or `undefined` if the runtime has no WebAssembly, or none with vectors. */
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
