import { useEffect, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Badge } from '../components/pieces.tsx'
import type { Secret } from './secret.ts'
import { nameOf } from './secret-rows.ts'
import type { Imported, SecretFile } from './store.ts'

type ImportDifferenceProps = { file: SecretFile; imported: Imported; secrets: readonly Secret[] }

/** What an import would add, change and leave alone; with the values before and after where they are asked for. */
export function ImportDifference({ file, imported, secrets }: ImportDifferenceProps) {
  const [isShown, setShown] = useState(false)
  const { created, changed, unchanged } = imported
  const values = useValues(isShown ? file : null)
  const before = new Map(secrets.map((secret) => [nameOf(secret), secret]))
  return (
    <section className="import-difference" aria-label="What changes">
      <div className="row">
        <p>
          {created.length} added, {changed.length} changed, {unchanged.length} the same.
        </p>
        <Button
          kind="quiet"
          size="sm"
          className="push"
          icon="eye"
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide values' : 'Show values'}
        </Button>
      </div>
      <ul>
        {[
          ...created.map((one) => ({ ...one, isNew: true })),
          ...changed.map((one) => ({ ...one, isNew: false })),
        ].map(({ key, path, isNew }) => {
          const old = before.get(nameOf({ key, path }))
          return (
            <li key={key}>
              <Badge tone={isNew ? 'add' : 'accent'}>{isNew ? 'added' : 'changed'}</Badge>
              <code>{key}</code>
              {isShown && (
                <span className="val">
                  {!isNew && old !== undefined && (
                    <>
                      <del>{old.type === 'sealed' ? 'sealed' : old.value}</del>{' '}
                    </>
                  )}
                  <ins>{values.get(key) ?? ''}</ins>
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The values of a file. What reads it is the server's own code, loaded when values are asked for. */
function useValues(file: SecretFile | null): ReadonlyMap<string, string> {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    let isCurrent = true
    if (file === null) setValues(new Map())
    else
      void import('./file-values.ts').then(({ valuesOf }) => {
        if (isCurrent) setValues(new Map(valuesOf(file).map(({ key, value }) => [key, value])))
      })
    return () => {
      isCurrent = false
    }
  }, [file])
  return values
}
