/** Whether a process with this id runs on this machine, or in this container. */
export const isRunning = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
