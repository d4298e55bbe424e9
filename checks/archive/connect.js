// Plain JavaScript: measured processes run without a compiler.
/**
 * The connection of the archive to a file: the same settings, and the same way to commit. It is internal to the package, so it is
 * taken from where the build puts it.
 *
 * @param {string} path
 */
export const connect = async (path) => {
  const url = new URL("../../packages/archive/dist/internal/store/libsqlClient.js", import.meta.url)
  /** @type {typeof import("../../packages/archive/src/internal/store/libsqlClient.js")} */
  const { SingleConnection } = await import(url.href)
  const connection = await SingleConnection.open(path)
  return {
    /** @param {string} sql @param {ReadonlyArray<unknown>} [args] */
    execute: (sql, args = []) => connection.execute({ sql, args: /** @type {Array<string | number>} */ ([...args]) }),
    close: () => connection.close()
  }
}
