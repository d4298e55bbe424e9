/** A table with a caption for screen readers. */
import type { ComponentChildren } from "preact"

export interface TableProps {
  readonly class?: string
  readonly caption: string
  /** The name of each column, and the class of its heading. */
  readonly columns: ReadonlyArray<readonly [name: string, className?: string]>
  /** The rows. */
  readonly children: ComponentChildren
}

export const Table = ({ caption, children, class: name, columns }: TableProps) => (
  <table class={name}>
    <caption class="hidden">{caption}</caption>
    <thead>
      <tr>
        {columns.map(([column, className]) => (
          <th key={column} scope="col" class={className}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
