import { exportResults, joinMachines, pause, repair, resume, retry, run, status } from "../commands/archive.js"

export { main } from "../main.js"

export const commands = {
  "archive run": run,
  "archive status": status,
  "archive pause": pause,
  "archive resume": resume,
  "archive retry": retry,
  "archive export": exportResults,
  "archive repair": repair,
  "archive work": joinMachines
}
