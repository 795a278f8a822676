import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { ErrorText } from '../components/field.tsx'
import { Head } from '../components/table.tsx'
import type { Recently } from './factor-part.ts'
import { identitiesQuery } from './queries.ts'
import { Section } from './section.tsx'

type Identity = { provider: string; name: string; createdAt: string }
type LinkedProps = {
  providers: readonly { id: string; name: string }[]
  identities: readonly Identity[]
  recently: Recently
}

/** The reader's accounts at providers of single sign-on: linked and unlinked. */
export function LinkedSignIns({ providers, identities, recently }: LinkedProps) {
  const queryClient = useQueryClient()
  const [unlinked, setUnlinked] = useState<Identity | null>(null)
  const { busy, problem, run } = useAct()
  const link = (provider: string) =>
    run(async () => {
      const { url } = await recently(() =>
        answer(api.service.auth.sso({ provider }).link.post({ return_to: '/settings/sign-in' })),
      )
      location.assign(url)
    })
  const linkable = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id))
  return (
    <Section
      title="Single sign-on"
      text="An account that is linked signs in here, whatever its address. Unlinking ends no session."
    >
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <table className="list">
        <caption className="vh">Accounts at providers</caption>
        <thead>
          <tr>
            <Head>Provider</Head>
            <Head>Linked</Head>
            <td />
          </tr>
        </thead>
        <tbody>
          {identities.map((identity) => (
            <tr key={identity.provider}>
              <th scope="row">{identity.name}</th>
              <td className="dim">
                <DateTime at={identity.createdAt} />
              </td>
              <td className="r">
                <Button
                  size="sm"
                  kind="danger-quiet"
                  aria-label={`Unlink ${identity.name}`}
                  onClick={() => setUnlinked(identity)}
                >
                  Unlink
                </Button>
              </td>
            </tr>
          ))}
          {linkable.map(({ id, name }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td className="dim">Not linked</td>
              <td className="r">
                <Button size="sm" busy={busy} aria-label={`Link ${name}`} onClick={() => link(id)}>
                  Link
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ConfirmDialog
        open={unlinked !== null}
        onClose={() => setUnlinked(null)}
        title={`Unlink ${unlinked?.name}?`}
        text="Your account there signs in here no more. It can be linked again."
        act="Unlink"
        onConfirm={async () => {
          if (unlinked === null) return
          await recently(() => answer(api.service.auth.sso({ provider: unlinked.provider }).link.delete()))
          await queryClient.invalidateQueries({ queryKey: identitiesQuery.queryKey })
        }}
      />
    </Section>
  )
}
