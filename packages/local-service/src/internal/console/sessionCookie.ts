/** The name of the cookie of the console, whose end is the port: a browser sends a cookie to all ports of a host. */
export const sessionCookie = (port: number | "PORT"): string => `effect-speech-console-${port}`
