/**
 * The address of the repository, such as "https://github.com/OWNER/NAME". It is not known yet. It is the only thing to fill in before
 * the first release: the fields of the packages, their links and those of messages follow from it.
 */
const filledIn = ""

/** `filledIn`, or the variable EFFECT_SPEECH_REPOSITORY. Empty if the address is not known. */
export const repository = (process.env.EFFECT_SPEECH_REPOSITORY || filledIn).replace(/(\.git)?\/*$/, "")

/**
 * The address of the site that `docs` becomes, with a `/` at its end: that of GitHub Pages. Empty if it is not known.
 *
 * @param {string} repository
 * @returns {string}
 */
export const siteOf = (repository) => {
  const [, owner, name] = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)$/.exec(repository) ?? []
  return owner === undefined ? "" : `https://${owner.toLowerCase()}.github.io/${name}/`
}
