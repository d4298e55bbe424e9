/**
 * What the manual page and docs/command say of all commands: their variables and their exit codes.
 */

export const environment = [
  [
    "SPEECH_API_KEY",
    "The API key: the whole <prefix>.<secret> value. No option takes it, because other users can see command lines."
  ],
  ["SPEECH_STT_BASE_URL", "Address of the transcription host."],
  ["SPEECH_TTS_BASE_URL", "Address of the synthesis host."],
  ["SPEECH_ARCHIVE_STORE", "File or postgresql:// address of speech archive, in place of --store."],
  ["HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "Proxy of the calls, and the hosts that are called without it."],
  ["NO_COLOR, FORCE_COLOR", "Never, or always, use colours. Default: on a terminal."],
  ["COLUMNS", "Width of the help, 32 to 100. Default: that of the terminal."]
] as const

export const exitStatuses = [
  ["0", "done"],
  ["2", "the command, the configuration or the request is not valid"],
  ["3", "a file can't be read or written, or a model can't be loaded"],
  ["10", "the service refused the request: 400"],
  ["11", "the service did not accept the key: 401; for a synthesis, out of credit as well"],
  ["12", "the account is out of credit: 402"],
  ["13", "the account is not active, or the key lacks a scope: 403"],
  [
    "20",
    "the service failed or is overloaded: 500 or 503 of transcription, 500 or 502 of synthesis. After a 500 of transcription, each attempt may be billed"
  ],
  ["21", "a status that is not in the contract, such as 503 of synthesis, or that of a gateway"],
  ["30", "the connection failed"],
  ["31", "a deadline passed"],
  ["32", "the response can't be used"],
  ["40", "a run of an archive is suspended or paused, or no process works on it"],
  [
    "41",
    "a run of an archive ended, and some of its files failed, are held, lack their audio, or have a warning of --fail-on; or a recording is above --at-most"
  ],
  ["70", "a defect of the command"],
  ["130", "interrupted"]
] as const
