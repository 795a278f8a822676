import { Link } from '@tanstack/react-router'
import { type Piece, parseReferences, type Reference } from '../../../core/plain-secrets/reference-syntax.ts'
import { Broken } from './broken-reference.tsx'
import { useGrid } from './grid.ts'
import { OtherAppReference } from './other-app-reference.tsx'
import { type NamedEnvironment, nameOf } from './secret-rows.ts'

/** Thousands of links would freeze the page: what follows these pieces of a value is plain text. */
const MOST_PIECES = 200

/** A value that was asked for: its references are links, and broken ones say what is missing. */
export function ValueText({ value, environment }: { value: string; environment: NamedEnvironment }) {
  if (value === '') return <span className="val faint">empty</span>
  const pieces = parseReferences(value)
  return (
    <span className="val">
      {pieces.slice(0, MOST_PIECES).map((piece, place) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is told by its place alone
          <ReferenceLink key={place} {...piece} environment={environment} />
        ),
      )}
      {pieces.slice(MOST_PIECES).map(textOf).join('')}
    </span>
  )
}

const textOf = (piece: Piece): string => (typeof piece === 'string' ? piece : piece.written)

type ReferenceProps = { written: string; reference: Reference; environment: NamedEnvironment }

function ReferenceLink({ written, reference, environment }: ReferenceProps) {
  const { appId, environments, rows } = useGrid()
  if (reference.app !== null) return <OtherAppReference written={written} reference={reference} />
  const target =
    reference.environment === null ? environment : environmentNamed(environments, reference.environment)
  if (target === undefined) {
    return (
      <Broken written={written} why={`You can open no environment ${reference.environment} of this app.`} />
    )
  }
  const secret = rows.get(nameOf(reference))?.cells.get(target.id)
  if (secret === undefined)
    return <Broken written={written} why={`${target.name} has no ${reference.key} at ${reference.path}.`} />
  return (
    <Link className="ref" to="/apps/$appId/secrets/$secretId" params={{ appId, secretId: secret.id }}>
      {written}
    </Link>
  )
}

const environmentNamed = (
  environments: readonly NamedEnvironment[],
  name: string,
): NamedEnvironment | undefined => environments.find((one) => one.name.toLowerCase() === name.toLowerCase())
