import type { Socket } from "node:net"

const closedHere = new WeakSet<Socket>()

/** Notes that the service itself closes this connection, just before it does. */
export const closesHere = (socket: Socket): void => {
  closedHere.add(socket)
}

/** Whether the service closed the connection. Otherwise the client did. */
export const wasClosedHere = (socket: Socket): boolean => closedHere.has(socket)
