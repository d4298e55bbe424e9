/** The page. */
import { useEffect } from "preact/hooks"
import { Account } from "./account/Account.js"
import { address, type Room } from "./address.js"
import { signedIn } from "./api.js"
import { Faults } from "./faults/Faults.js"
import { follow } from "./live.js"
import { Navigation } from "./Navigation.js"
import { FailureNote, Notices } from "./notices.js"
import { Requests } from "./requests/Requests.js"
import { Runs } from "./runs/Runs.js"
import { enter, SignIn } from "./SignIn.js"
import { readAbout, trouble } from "./state.js"
import { useStore } from "./store.js"
import { Try } from "./try/Try.js"

export const App = () => {
  const session = useStore(signedIn)
  useEffect(() => {
    void enter()
    // The link may be opened in a tab that shows the page already.
    const onHash = () => {
      if (/^#[^/]/.test(location.hash)) void enter()
    }
    window.addEventListener("hashchange", onHash)
    return () => window.removeEventListener("hashchange", onHash)
  }, [])
  if (session === undefined) return <main aria-busy="true" />
  return (
    <>
      {session ? <Console /> : <SignIn />}
      <Notices />
    </>
  )
}

const Console = () => {
  const failure = useStore(trouble)
  const { room } = useStore(address)
  useEffect(() => {
    void readAbout()
    return follow()
  }, [])
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main h1")?.focus()}>
        Skip to the content
      </button>
      <Navigation />
      <main>
        {failure && (
          <div class="trouble">
            <FailureNote failure={failure} />
          </div>
        )}
        {/* Stays, so that a call goes on, and its result is there, while another room is shown. */}
        <div hidden={room !== "try"}>
          <Try />
        </div>
        <Other room={room} />
      </main>
    </div>
  )
}

const Other = ({ room }: { readonly room: Room }) => {
  switch (room) {
    case "try":
      return null
    case "requests":
      return <Requests />
    case "runs":
      return <Runs />
    case "faults":
      return <Faults />
    case "account":
      return <Account />
  }
}
