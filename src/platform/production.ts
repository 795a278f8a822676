// Imported before Elysia, which reads it once: unless it says production, Elysia describes each fault of a body at
// length, with what was sent, and fails at values that can't be made text.
process.env.NODE_ENV = 'production'
