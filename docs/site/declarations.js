/** The text of a declaration, as the compiler wrote it, without comments. */
import { readFileSync } from "node:fs"
import ts from "typescript"

/** @type {Map<string, ts.SourceFile>} */
const files = new Map()

/** @param {string} file */
const sourceOf = (file) => {
  const known = files.get(file)
  if (known !== undefined) return known
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true)
  files.set(file, source)
  return source
}

const printer = ts.createPrinter({ removeComments: true })
/** The fields of a schema have no other place where the reference shows what they are. */
const withComments = ts.createPrinter()

/** @param {ts.Statement} statement @param {ts.SourceFile} source */
const print = (statement, source) =>
  ts.isVariableStatement(statement)
    ? withComments.printNode(ts.EmitHint.Unspecified, statement, source).replace(/^(?:\/\*[\s\S]*?\*\/\s*)+/, "")
    : printer.printNode(ts.EmitHint.Unspecified, statement, source)

/** @param {ts.Statement} statement @param {string} name */
const declares = (statement, name) => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.some((each) => each.name.getText() === name)
  }
  const named =
    ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isFunctionDeclaration(statement)
  return (named || ts.isClassDeclaration(statement)) && statement.name?.text === name
}

/**
 * All declarations of a name in a file. A class that extends a base which the compiler named says nothing, and is left out: its members
 * are listed.
 *
 * @param {string} file
 * @param {string} name
 */
export const declarationOf = (file, name) => {
  const source = sourceOf(file)
  const found = source.statements.filter((statement) => declares(statement, name))
  return found
    .filter((statement) => !(ts.isClassDeclaration(statement) && /extends \w+_base/.test(statement.getText())))
    .map((statement) => print(statement, source))
    .map((text) =>
      text
        .replace(/^export declare /gm, "")
        .replace(/^export /gm, "")
        .replace(/;$/gm, "")
        .replace(/^( +)\1/gm, "$1")
    )
    .join("\n")
}
