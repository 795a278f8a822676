import { parseDotenv } from '../../../core/plain-secrets/dotenv.ts'
import { parseJsonFile } from '../../../core/plain-secrets/json-file.ts'
import type { KeyValue } from '../../../core/plain-secrets/key-values.ts'
import type { SecretFile } from './store.ts'

/** The keys and values of a file, as the server reads it. */
export const valuesOf = ({ content, format }: Pick<SecretFile, 'content' | 'format'>): KeyValue[] =>
  format === 'json' ? parseJsonFile(content) : parseDotenv(content)
