/** The room of the faults: those that are set, how to set one, and what the clients did after each. */
import { useId, useState } from "preact/hooks"
import type { Fault } from "../../../src/Faults.js"
import type { CallFailure } from "../api.js"
import { FailureNote } from "../notices.js"
import { Room } from "../Room.js"
import { faults } from "../state.js"
import { useStore } from "../store.js"
import { FaultForm } from "./FaultForm.js"
import { FaultList } from "./FaultList.js"
import { Presets } from "./Presets.js"
import { Report } from "./Report.js"
import { nameOf, setFaults, withEffect } from "./setFaults.js"
import { useFaults } from "./useFaults.js"

export const Faults = () => {
  const records = useFaults()
  const isRead = useStore(faults) !== undefined
  const [failure, setFailure] = useState<CallFailure>()
  const making = useId()

  const change = async (fault: Fault, wanted: boolean) => {
    const rest = withEffect(records).filter((each) => nameOf(each) !== nameOf(fault))
    setFailure(await setFaults(wanted ? [...rest, fault] : rest))
  }
  const turnAllOff = async () => setFailure(await setFaults([]))

  return (
    <Room
      name="faults"
      title="Faults"
      beside={
        <>
          <span class="quiet wide-only">make requests fail as they do in production</span>
          <span class="spring" />
          {records.length > 0 && (
            <button type="button" class="destructive" onClick={() => void turnAllOff()}>
              Turn all off
            </button>
          )}
        </>
      }
    >
      {failure && <FailureNote failure={failure} />}
      <div class="sides">
        <FaultList isRead={isRead} records={records} onOff={(fault) => void change(fault, false)} />
        <Report records={records} />
        <section class="making" aria-labelledby={making}>
          <h2 id={making}>Set a fault</h2>
          <Presets records={records} onChange={change} />
          <FaultForm onFault={(fault) => setFaults([...withEffect(records), fault])} />
        </section>
      </div>
    </Room>
  )
}
