import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import type { Actor } from '../../core/actor.ts'
import { TransferOwnership, transfer } from '../../core/organisations/ownership-transfer.ts'
import { signInBrowser } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { NoContent, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

/** `/service/auth/ownership/`: by session cookie only. */
export const ownershipRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth/ownership', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post(
      '/transfer',
      ({ body, caller, request }) =>
        transfer(ctx, caller as Actor, body, signInBrowser(ctx.config, request).browser),
      {
        session: 'owner',
        audit: 'organisation.update_refused',
        body: TransferOwnership,
        response: responses(204, NoContent, 400, 401, 403, 404, 413, 415),
        detail: {
          tags: ['Organisation'],
          summary: 'Transfer ownership',
          description:
            'Makes a member with global access the Owner, and the caller an Admin. A caller with a second factor sends it too: `totp`, `recovery_code`, or `passkey` with a challenge of `POST /service/auth/passkeys/options/`.',
        },
      },
    )
