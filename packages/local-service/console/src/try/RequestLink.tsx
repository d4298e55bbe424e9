/** Links to the request that a result is of. */
import { linkTo } from "../address.js"
import { requests } from "../state.js"
import { useStore } from "../store.js"

export const RequestLink = ({ id }: { readonly id: string }) => {
  const entry = useStore(requests)?.findLast((each) => each.id === id)
  return entry === undefined ? (
    <>
      Request <code>{id}</code>
    </>
  ) : (
    <a href={linkTo("requests", [entry.number])} title={id}>
      Request {entry.number}
    </a>
  )
}
