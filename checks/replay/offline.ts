/** The tests of an example project, which run from a recorded folder, twice, without a network. */
import { run } from "effect-speech-test-support/processes"
import { runRecordedExample } from "effect-speech-test-support/recordedExample"
import { bar, title } from "effect-speech-test-support/report"

/** Runs a command in a network namespace of its own, which has only loopback. */
const withoutNetwork = ["unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']

/** Whether this system allows such namespaces. */
const canIsolate = () =>
  run(withoutNetwork[0] ?? "", [...withoutNetwork.slice(1), "true"]).then(
    () => true,
    () => false
  )

export const checkOffline = async () => {
  title("The tests of a project, from a recorded folder")
  const isIsolated = await canIsolate()
  const prefix = isIsolated ? withoutNetwork : []
  const runs = [await runRecordedExample(prefix), await runRecordedExample(prefix)]
  const [first, second] = runs
  const where = isIsolated
    ? "in a network namespace with loopback alone"
    : "unshare is not allowed here: with a network"
  bar(
    "they pass, twice",
    runs.every(({ status }) => status === 0),
    `${where}; ${first?.stderr.trim()}`
  )
  bar("both runs print the same", first?.tests === second?.tests, `${first?.tests.split("\n").length} lines`)
}
