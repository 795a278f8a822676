import { type AnyElysia, Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { blobOf } from '../../platform/http/blobs.ts'
import { openApiDocument } from './document.ts'

/** The page's script and style come from the package, not from a CDN: it works without internet access. */
const ASSETS = {
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    load: () => import('swagger-ui-dist/swagger-ui-bundle.js', { with: { type: 'text' } }),
  },
  'swagger-ui.css': {
    type: 'text/css; charset=utf-8',
    load: () => import('swagger-ui-dist/swagger-ui.css', { with: { type: 'text' } }),
  },
} as const

const START = `addEventListener('load', () => SwaggerUIBundle({ url: '/swagger/json', dom_id: '#page', deepLinking: true, validatorUrl: null }))`

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Keyward API</title>
<link rel="stylesheet" href="/swagger/swagger-ui.css">
</head>
<body><div id="page"></div>
<script src="/swagger/swagger-ui-bundle.js"></script><script src="/swagger/start.js"></script>
</body>
</html>
`

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = (body: string | Blob, type: string) =>
  new Response(body, {
    headers: {
      'content-type': type,
      'content-security-policy': CSP,
      // So that a HEAD needs no copy of it.
      ...(body instanceof Blob && { 'content-length': String(body.size) }),
    },
  })

/** `/swagger`: the routes' OpenAPI document, at `/swagger/json`, and a page to browse it. */
export function swaggerPage(ctx: Context, routes: AnyElysia) {
  // Not their promises: on some runtimes no request may wait for another's.
  const files = new Map<string, Blob>()
  const file = async (name: string, type: string, load: () => Promise<string>) => {
    const blob = files.get(name) ?? blobOf(new TextEncoder().encode(await load()))
    files.set(name, blob)
    return page(blob, type)
  }
  const asset = (name: keyof typeof ASSETS) => {
    const { type, load } = ASSETS[name]
    return file(name, type, async () => ((await load()) as unknown as { default: string }).default)
  }
  const document = async () => JSON.stringify(await openApiDocument(routes, ctx.config.version))
  const detail = { hide: true, 'x-permission': 'none' } as object
  return new Elysia({ prefix: '/swagger', normalize: false })
    .get('/', () => page(PAGE, 'text/html; charset=utf-8'), { detail })
    .get('/start.js', () => page(START, 'text/javascript; charset=utf-8'), { detail })
    .get('/swagger-ui-bundle.js', () => asset('swagger-ui-bundle.js'), { detail })
    .get('/swagger-ui.css', () => asset('swagger-ui.css'), { detail })
    .get('/json', () => file('json', 'application/json', document), { detail })
}
