import type { Machine } from "../machine/machine.js"
import type { StoreService } from "../store/Store.js"
import type { Begin } from "./begin.js"
import type { Endings } from "./endings.js"
import type { Check, CostOf } from "./requests.js"
import type { Watch } from "./watch.js"

/** What the methods of the service are made of. */
export interface Parts {
  readonly begin: Begin
  /** Refuses a file that this process can't call as requested, by the operation. */
  readonly checks: ReadonlyMap<string, Check | undefined>
  /** What the call of a file costs, by the operation. */
  readonly costs: ReadonlyMap<string, CostOf>
  readonly endings: Endings
  /** Absent where the process works on nothing. */
  readonly machine: Machine | undefined
  readonly store: StoreService
  readonly watch: Watch
}
