{{/*
Where every secret comes from and who gets it, as a YAML map: NAME to {secret, key, components, origin, value}. The
origin is `existing` (a Secret of the user's), `provided` (a value that decides) or `generated` (made once; what is
stored wins over a value).
*/}}
{{- define "keyward.secrets" -}}
{{- $bundledDatabase := .Values.postgres.enabled -}}
{{- $bundledRedis := .Values.redis.enabled -}}
{{- $all := dict -}}
{{- $rows := list
  (list "SECRET_KEY" .Values.secrets.secretKey true (list "backend" "worker"))
  (list "SERVER_SECRET" .Values.secrets.serverSecret true (list "backend" "worker"))
  (list "DATABASE_PASSWORD" .Values.secrets.databasePassword $bundledDatabase (list "backend" "worker" "migrate" "postgres"))
-}}
{{- if or $bundledRedis (and .Values.externalRedis.host (not .Values.externalRedis.passwordless)) -}}
{{- $rows = append $rows (list "REDIS_PASSWORD" .Values.secrets.redisPassword $bundledRedis (list "backend" "worker" "redis")) -}}
{{- end -}}
{{- if not .Values.setup.open -}}
{{- $rows = append $rows (list "SETUP_TOKEN" .Values.secrets.setupToken true (list "backend")) -}}
{{- end -}}
{{- range $row := $rows -}}
{{- $given := index $row 1 -}}
{{- $existing := $given.existingSecret | default $.Values.secrets.existingSecret -}}
{{- $_ := set $all (index $row 0) (include "keyward.secret" (list $ (index $row 0) $given $existing (index $row 2) (index $row 3)) | fromYaml) -}}
{{- end -}}
{{- if .Values.smtp.user -}}
{{- $given := .Values.smtp.password -}}
{{- $_ := set $all "SMTP_PASSWORD" (include "keyward.secret" (list $ "SMTP_PASSWORD" $given $given.existingSecret false (list "backend" "worker")) | fromYaml) -}}
{{- end -}}
{{- $given := .Values.tracing.headers -}}
{{- if and .Values.tracing.endpoint (or $given.value $given.existingSecret) -}}
{{- $_ := set $all "OTEL_EXPORTER_OTLP_HEADERS" (include "keyward.secret" (list $ "OTEL_EXPORTER_OTLP_HEADERS" $given $given.existingSecret false (list "backend" "worker" "frontend")) | fromYaml) -}}
{{- end -}}
{{- range .Values.sso.providers -}}
{{- $name := printf "%s_CLIENT_SECRET" (include "keyward.providerPrefix" .) -}}
{{- $_ := set $all $name (include "keyward.secret" (list $ $name .clientSecret (.clientSecret.existingSecret | default "") false (list "backend" "frontend")) | fromYaml) -}}
{{- end -}}
{{- toYaml $all -}}
{{- end }}

{{/* One row of the map: (list root name given existing generated components). */}}
{{- define "keyward.secret" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $given := index . 2 -}}
{{- $row := dict "components" (index . 5) "value" ($given.value | default "") -}}
{{- if index . 3 -}}
{{- $row = merge $row (dict "origin" "existing" "secret" (index . 3) "key" ($given.key | default $name)) -}}
{{- else if index . 4 -}}
{{- $row = merge $row (dict "origin" "generated" "secret" (include "keyward.name" (list $root "secrets")) "key" $name) -}}
{{- else -}}
{{- $row = merge $row (dict "origin" "provided" "secret" (include "keyward.name" (list $root "provided")) "key" $name) -}}
{{- end -}}
{{- toYaml $row -}}
{{- end }}

{{- define "keyward.providerPrefix" -}}
{{- .name | upper | replace "-" "_" -}}
{{- end }}

{{/* The secrets of a component, as the same map: (list root component). */}}
{{- define "keyward.secretsOf" -}}
{{- $component := index . 1 -}}
{{- $own := dict -}}
{{- range $name, $row := include "keyward.secrets" (index . 0) | fromYaml -}}
{{- if has $component $row.components }}{{ $_ := set $own $name $row }}{{ end -}}
{{- end -}}
{{- toYaml $own -}}
{{- end }}

{{/* The folder in which a container finds its secrets. */}}
{{- define "keyward.secretsFolder" -}}
/run/secrets/keyward
{{- end }}

{{/* The volume that holds a component's secrets, one file each: (list root component volume). Empty where it has none. */}}
{{- define "keyward.secretsVolume" -}}
{{- $rows := include "keyward.secretsOf" . | fromYaml -}}
{{- if $rows -}}
- name: {{ index . 2 }}
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $row := $rows }}
      - secret:
          name: {{ $row.secret | quote }}
          items:
            - key: {{ $row.key | quote }}
              path: {{ $name }}
      {{- end }}
{{- end -}}
{{- end }}
