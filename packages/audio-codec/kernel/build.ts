import { writeFileSync } from "node:fs"
import { compileKernel } from "./compile.js"

writeFileSync(new URL("../src/internal/kernel/kernelModule.ts", import.meta.url), await compileKernel())
