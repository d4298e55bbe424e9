/** The part that is used here. The types of the package need types of Istanbul that nothing else here needs. */
declare module "ast-v8-to-istanbul" {
  /** Converts what V8 counted in a script to Istanbul's format, by the path of each source. */
  export const convert: (options: {
    readonly code: string
    readonly ast: object
    readonly coverage: object
    readonly wrapperLength: number
    readonly sourceMap?: object
  }) => Promise<Record<string, import("./check.js").FileCoverage>>
}
