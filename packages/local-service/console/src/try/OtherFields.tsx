/** The fields of an edited request that a form does not show, and sends. */
import type { Fields } from "../code.js"

export const OtherFields = ({ fields, onRemove }: { readonly fields: Fields; readonly onRemove: () => void }) =>
  Object.keys(fields).length === 0 ? null : (
    <p class="quiet">
      Also sent: <code>{JSON.stringify(fields)}</code>{" "}
      <button type="button" onClick={onRemove}>
        Remove
      </button>
    </p>
  )
