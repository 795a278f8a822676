import { images } from '../../support/images/build.ts'
import type { Namespace } from './namespace.ts'

const labels = { app: 'external-postgres' }

/** A PostgreSQL that is no part of a release, with a database and a user called keyward. Returns its host name. */
export async function startPostgres(namespace: Namespace, password: string): Promise<string> {
  await namespace.apply(
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'postgres', labels }, spec: podSpec(password) },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'postgres' },
      spec: { selector: labels, ports: [{ port: 5432 }] },
    },
  )
  await namespace.kubectl('wait', '--for=condition=Ready', 'pod/postgres', '--timeout=120s')
  return `postgres.${namespace.name}.svc`
}

const folders = { data: '/var/lib/postgresql', run: '/var/run/postgresql', tmp: '/tmp' }

function podSpec(password: string) {
  const environment = {
    POSTGRES_USER: 'keyward',
    POSTGRES_DB: 'keyward',
    POSTGRES_PASSWORD: password,
    POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C.UTF-8',
    PGDATA: '/var/lib/postgresql/pgdata',
  }
  const command = ['pg_isready', '--quiet', '--host=127.0.0.1', '--username=keyward']
  return {
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 999,
      runAsGroup: 999,
      fsGroup: 999,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'postgres',
        image: images.postgres,
        imagePullPolicy: 'IfNotPresent',
        env: Object.entries(environment).map(([name, value]) => ({ name, value })),
        ports: [{ containerPort: 5432 }],
        readinessProbe: { exec: { command }, periodSeconds: 2 },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: Object.entries(folders).map(([name, mountPath]) => ({ name, mountPath })),
      },
    ],
    volumes: Object.keys(folders).map((name) => ({ name, emptyDir: {} })),
  }
}
