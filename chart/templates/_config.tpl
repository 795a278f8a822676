{{/* The settings of a component, as YAML: (list root component). Only what it reads, so that only what must restarts. */}}
{{- define "keyward.config" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $v := $root.Values -}}
LOG_LEVEL: {{ $v.logLevel | quote }}
{{- if ne $component "migrate" }}
PORT: "8080"
HOST: {{ $v.host | quote }}
ALLOWED_HOSTS: {{ include "keyward.allowedHosts" $root | quote }}
ALLOWED_ORIGINS: {{ include "keyward.allowedOrigins" $root | quote }}
{{- if include "keyward.hasMetrics" $root }}
METRICS_PORT: {{ $v.metrics.port | quote }}
{{- end }}
{{- include "keyward.tracingConfig" $root }}
{{- end }}
{{- if has $component (list "backend" "frontend") }}
ENABLE_PASSWORD_AUTH: {{ $v.passwordAuth.enabled | quote }}
{{- with include "keyward.trustedProxies" $root }}
TRUSTED_PROXIES: {{ . | quote }}
{{- end }}
{{- with $v.sso.providers }}
{{- $names := list }}
{{- range . }}
{{- $names = append $names .name }}
{{- $prefix := include "keyward.providerPrefix" . }}
{{ $prefix }}_CLIENT_ID: {{ .clientId | quote }}
{{- with .issuer }}
{{ $prefix }}_ISSUER: {{ . | quote }}
{{- end }}
{{- with .displayName }}
{{ $prefix }}_DISPLAY_NAME: {{ . | quote }}
{{- end }}
{{- with .scopes }}
{{ $prefix }}_SCOPES: {{ join " " . | quote }}
{{- end }}
{{- end }}
SSO_PROVIDERS: {{ join "," $names | quote }}
NEXT_PUBLIC_NEXTAUTH_PROVIDERS: {{ join "," $names | quote }}
SSO_ALLOW_HTTP_ISSUERS: {{ $v.sso.allowHttpIssuers | quote }}
{{- end }}
{{- end }}
{{- if eq $component "backend" }}
REGISTRATION: {{ $v.registration | quote }}
CACHE_MEGABYTES: {{ $v.cacheMegabytes | quote }}
{{- with $v.allowedEmailDomains }}
ALLOWED_EMAIL_DOMAINS: {{ join "," . | quote }}
{{- end }}
{{- if and $v.sso.providers (include "keyward.hasCa" $v.sso.ca) }}
SSO_CA: {{ include "keyward.caFolder" $root }}/sso.pem
{{- end }}
REQUIRE_SECOND_FACTOR: {{ $v.requireSecondFactor | default "off" | quote }}
RATE_LIMIT_DEFAULT: {{ $v.rateLimits.default | quote }}
RATE_LIMIT_AUTH: {{ $v.rateLimits.auth | quote }}
{{- end }}
{{- if eq $component "worker" }}
AUDIT_RETENTION_DAYS: {{ $v.auditRetentionDays | quote }}
{{- end }}
{{- if has $component (list "backend" "worker") }}
ORGANISATION_PLAN: {{ $v.plan | quote }}
{{- include "keyward.redisConfig" $root }}
{{- include "keyward.smtpConfig" $root }}
{{- end }}
{{- if has $component (list "backend" "worker" "migrate") }}
{{- include "keyward.databaseConfig" $root }}
{{- end }}
{{- range $name, $_ := include "keyward.secretsOf" . | fromYaml }}
{{ $name }}_FILE: {{ include "keyward.secretsFolder" $root }}/{{ $name }}
{{- end }}
{{- end }}

{{- define "keyward.hasMetrics" -}}
{{- if or .Values.metrics.enabled .Values.serviceMonitor.enabled .Values.podMonitor.enabled }}yes{{ end -}}
{{- end }}

{{- define "keyward.tracingConfig" }}
{{- with .Values.tracing }}
{{- if .endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .endpoint | quote }}
OTEL_TRACES_SAMPLER: {{ .sampler | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ .samplerArg | quote }}
{{- $attributes := list }}
{{- range $name, $value := .resourceAttributes }}
{{- $attributes = append $attributes (printf "%s=%s" $name (urlquery $value | replace "+" "%20")) }}
{{- end }}
{{- with $attributes }}
OTEL_RESOURCE_ATTRIBUTES: {{ join "," . | quote }}
{{- end }}
{{- if include "keyward.hasCa" .ca }}
OTEL_EXPORTER_OTLP_CERTIFICATE: {{ include "keyward.caFolder" $ }}/tracing.pem
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "keyward.databaseConfig" }}
{{- if .Values.postgres.enabled }}
DATABASE_HOST: {{ include "keyward.name" (list . "postgres") }}
DATABASE_PORT: "5432"
DATABASE_NAME: keyward
DATABASE_USER: keyward
DATABASE_SSLMODE: disable
{{- else }}
DATABASE_HOST: {{ .Values.externalDatabase.host | quote }}
DATABASE_PORT: {{ .Values.externalDatabase.port | quote }}
DATABASE_NAME: {{ .Values.externalDatabase.name | quote }}
DATABASE_USER: {{ .Values.externalDatabase.user | quote }}
{{- with .Values.externalDatabase.sslMode }}
DATABASE_SSLMODE: {{ . | quote }}
{{- end }}
{{- if include "keyward.hasCa" .Values.externalDatabase.ca }}
DATABASE_SSL_CA: {{ include "keyward.caFolder" . }}/database.pem
{{- end }}
{{- end }}
{{- end }}

{{- define "keyward.redisConfig" }}
{{- if .Values.redis.enabled }}
REDIS_HOST: {{ include "keyward.name" (list . "redis") }}
REDIS_PORT: "6379"
{{- else if .Values.externalRedis.host }}
REDIS_HOST: {{ .Values.externalRedis.host | quote }}
REDIS_PORT: {{ .Values.externalRedis.port | quote }}
REDIS_DATABASE: {{ .Values.externalRedis.database | quote }}
REDIS_TLS: {{ .Values.externalRedis.tls | quote }}
{{- with .Values.externalRedis.user }}
REDIS_USERNAME: {{ . | quote }}
{{- end }}
{{- if include "keyward.hasCa" .Values.externalRedis.ca }}
REDIS_TLS_CA: {{ include "keyward.caFolder" . }}/redis.pem
{{- end }}
{{- end }}
{{- end }}

{{- define "keyward.smtpConfig" }}
{{- with .Values.smtp.host }}
SMTP_HOST: {{ . | quote }}
SMTP_FROM: {{ $.Values.smtp.from | quote }}
{{- with $.Values.smtp.fromName }}
SMTP_FROM_NAME: {{ . | quote }}
{{- end }}
{{- with $.Values.smtp.subjectPrefix }}
MAIL_SUBJECT_PREFIX: {{ . | quote }}
{{- end }}
SMTP_TLS: {{ $.Values.smtp.tls | quote }}
{{- with $.Values.smtp.port }}
SMTP_PORT: {{ . | quote }}
{{- end }}
{{- with $.Values.smtp.user }}
SMTP_USER: {{ . | quote }}
{{- end }}
{{- if include "keyward.hasCa" $.Values.smtp.ca }}
SMTP_CA: {{ include "keyward.caFolder" $ }}/smtp.pem
{{- end }}
{{- end }}
{{- end }}

{{- define "keyward.caFolder" -}}
/etc/keyward/ca
{{- end }}

{{- define "keyward.hasCa" -}}
{{- if or .pem .existingConfigMap .existingSecret }}yes{{ end -}}
{{- end }}

{{/* The certificate authorities of a component, as a YAML map from file to where it comes from: (list root component). */}}
{{- define "keyward.casOf" -}}
{{- $v := (index . 0).Values -}}
{{- $component := index . 1 -}}
{{- $cas := dict -}}
{{- if and (has $component (list "backend" "worker" "migrate")) (not $v.postgres.enabled) -}}
{{- $_ := set $cas "database.pem" $v.externalDatabase.ca -}}
{{- end -}}
{{- if has $component (list "backend" "worker") -}}
{{- if not $v.redis.enabled }}{{ $_ := set $cas "redis.pem" $v.externalRedis.ca }}{{ end -}}
{{- if $v.smtp.host }}{{ $_ := set $cas "smtp.pem" $v.smtp.ca }}{{ end -}}
{{- end -}}
{{- if and (eq $component "backend") $v.sso.providers }}{{ $_ := set $cas "sso.pem" $v.sso.ca }}{{ end -}}
{{- if and $v.tracing.endpoint (has $component (list "backend" "worker" "frontend")) }}{{ $_ := set $cas "tracing.pem" $v.tracing.ca }}{{ end -}}
{{- range $file, $ca := $cas -}}
{{- if not (include "keyward.hasCa" $ca) }}{{ $cas = omit $cas $file }}{{ end -}}
{{- end -}}
{{- toYaml $cas -}}
{{- end }}

{{/* The volume of these authorities, one file each: (list root component). Empty where there are none. */}}
{{- define "keyward.caVolume" -}}
{{- $root := index . 0 -}}
{{- $cas := include "keyward.casOf" . | fromYaml -}}
{{- if $cas -}}
- name: ca
  projected:
    defaultMode: 0444
    sources:
      {{- range $file, $ca := $cas }}
      {{- if $ca.existingSecret }}
      - secret:
          name: {{ $ca.existingSecret | quote }}
          items:
            - {key: {{ $ca.key | quote }}, path: {{ $file }}}
      {{- else }}
      - configMap:
          name: {{ $ca.existingConfigMap | default (include "keyward.name" (list $root "ca")) | quote }}
          items:
            - {key: {{ empty $ca.existingConfigMap | ternary $file $ca.key | quote }}, path: {{ $file }}}
      {{- end }}
      {{- end }}
{{- end -}}
{{- end }}

{{/* Annotations that change whenever a component must restart: (list root component). Nothing random is in them. */}}
{{- define "keyward.checksums" -}}
{{- $pems := list -}}
{{- range include "keyward.casOf" . | fromYaml }}{{ $pems = append $pems .pem }}{{ end -}}
{{- $provided := dict -}}
{{- range $name, $row := include "keyward.secretsOf" . | fromYaml -}}
{{- if eq $row.origin "provided" }}{{ $_ := set $provided $name $row.value }}{{ end -}}
{{- end -}}
checksum/config: {{ printf "%s\n%s" (include "keyward.config" .) (toYaml $pems) | sha256sum }}
{{- if $provided }}
checksum/provided: {{ toYaml $provided | sha256sum }}
{{- end }}
{{- end }}
