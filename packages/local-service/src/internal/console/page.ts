export interface BaseUrls {
  readonly sttBaseUrl: string
  readonly ttsBaseUrl: string
}

export const style =
  "body { font: 1rem/1.5 system-ui; max-width: 44rem; margin: 3rem auto; padding: 0 1rem } code { background: #8882; padding: .1em .3em }"

/** The page that a browser shows at `/` without a build of the console. */
export const page = ({ sttBaseUrl, ttsBaseUrl }: BaseUrls): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local speech service</title>
<style>${style}</style>
<h1>Local speech service</h1>
<p>This is a speech service on this machine. Nothing leaves it.</p>
<dl>
<dt>Transcription<dd><code>POST ${sttBaseUrl}/api/transcribe</code>
<dt>Synthesis<dd><code>POST ${ttsBaseUrl}/tts/bytes</code>
<dt>Platform and controls<dd><code>/platform/api</code> on this host, with <code>X-Admin-Token</code>
</dl>
<p>The console is not built. In a checkout, run <code>pnpm build:console</code>, and load this page again.</p>
<p>Whether it runs: <a href="/health">health</a>. Whether its models work: <a href="/ready">ready</a>.</p>
<p>The operations, their fields and their responses: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
</html>
`
