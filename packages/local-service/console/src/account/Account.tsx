/** The room of the account: credit, usage, keys, models and the service itself. */
import { Room } from "../Room.js"
import { Section } from "../Section.js"
import { Credit } from "./Credit.js"
import { KeyList } from "./KeyList.js"
import { Models } from "./Models.js"
import { Program } from "./Program.js"
import { Service } from "./Service.js"
import { UsageChart } from "./UsageChart.js"

export const Account = () => (
  <Room name="account" title="Account">
    <div class="sides">
      <Credit />
      <Section class="keys" title="Key">
        <KeyList />
      </Section>
      <UsageChart />
      <Program />
      <Models />
      <Service />
    </div>
  </Room>
)
