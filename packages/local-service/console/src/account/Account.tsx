/** The room of the account: credit, usage, keys, models and the service itself. */
import { useState } from "preact/hooks"
import { Room } from "../Room.js"
import { Section } from "../Section.js"
import { Credit } from "./Credit.js"
import { type CreatedKey, KeyList } from "./KeyList.js"
import { Models } from "./Models.js"
import { Program } from "./Program.js"
import { Service } from "./Service.js"
import { UsageChart } from "./UsageChart.js"

export const Account = () => {
  /** The key that is shown, until you have copied it or leave the room. */
  const [created, setCreated] = useState<CreatedKey>()
  return (
    <Room name="account" title="Account">
      <div class="sides">
        <div class="side">
          <Credit />
          <Section class="keys" title="Key">
            <KeyList created={created} onCreated={setCreated} />
          </Section>
          <Program apiKey={created?.key} />
        </div>
        <div class="side">
          <UsageChart />
          <Models />
          <Service />
        </div>
      </div>
    </Room>
  )
}
