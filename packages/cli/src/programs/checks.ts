import { doctor } from "../commands/doctor.js"
import { listenBack } from "../commands/listenBack.js"
import { models, voices } from "../commands/offers.js"

export { main } from "../main.js"

export const commands = { doctor, "listen-back": listenBack, models, voices }
