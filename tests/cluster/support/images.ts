import type { Values } from './release.ts'

/** The image under test; one with a further, harmless migration; one with a further migration that fails. */
export type ImageVariant = 'test' | 'next' | 'broken'

const base = process.env.KEYWARD_TEST_IMAGE ?? 'keyward:test'

/** The name of a variant: that of the image under test, with a suffix. */
export const imageName = (variant: ImageVariant) => (variant === 'test' ? base : `${base}-${variant}`)

export const postgresImage = process.env.KEYWARD_TEST_POSTGRES_IMAGE ?? 'keyward-test/postgres:local'
export const redisImage = process.env.KEYWARD_TEST_REDIS_IMAGE ?? 'keyward-test/redis:local'

/** The chart's values that name the images of this tier. */
export function imageValues(variant: ImageVariant): Values {
  return {
    image: split(imageName(variant)),
    postgres: { image: split(postgresImage) },
    redis: { image: split(redisImage) },
  }
}

function split(image: string): { repository: string; tag: string } {
  const colon = image.lastIndexOf(':')
  if (colon <= image.lastIndexOf('/')) throw new Error(`The image ${image} must be named with its tag.`)
  return { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
}
