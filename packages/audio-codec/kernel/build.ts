import { writeFileSync } from "node:fs"
import { compileKernel } from "./compile.js"

writeFileSync(new URL("../src/internal/kernelModule.ts", import.meta.url), await compileKernel())
