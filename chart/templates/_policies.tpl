{{/* An egress rule to the pods of a component: (list root component port). */}}
{{- define "keyward.toComponent" -}}
- to:
    - podSelector:
        matchLabels:
          {{- include "keyward.selector" . | nindent 10 }}
  ports:
    - {protocol: TCP, port: {{ index . 2 }}}
{{- end }}

{{/* A rule to or from peers, any where there are none: (list direction peers ports…). */}}
{{- define "keyward.peers" -}}
- ports:
    {{- range slice . 2 }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with index . 1 }}
  {{ index $ 0 }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "keyward.dnsEgress" -}}
- ports:
    {{- range .Values.networkPolicy.dnsPorts | default (list 53) }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .Values.networkPolicy.dns }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "keyward.databaseEgress" -}}
{{- if .Values.postgres.enabled -}}
{{- include "keyward.toComponent" (list . "postgres" 5432) -}}
{{- else -}}
{{- include "keyward.peers" (list "to" .Values.networkPolicy.stores .Values.externalDatabase.port) -}}
{{- end -}}
{{- end }}

{{/* What backend and worker reach beside DNS: the database, Redis, the mail gateway. */}}
{{- define "keyward.storesEgress" -}}
{{- include "keyward.databaseEgress" . }}
{{- if .Values.redis.enabled }}
{{ include "keyward.toComponent" (list . "redis" 6379) }}
{{- else if .Values.externalRedis.host }}
{{ include "keyward.peers" (list "to" .Values.networkPolicy.stores .Values.externalRedis.port) }}
{{- end }}
{{- if .Values.smtp.host }}
{{ include "keyward.peers" (list "to" .Values.networkPolicy.stores (.Values.smtp.port | default (get (dict "starttls" 587 "tls" 465 "none" 25) .Values.smtp.tls))) }}
{{- end }}
{{- end }}

{{/* The ports of the providers of single sign-on, as a YAML list: those of their issuers, and of what these refer to. */}}
{{- define "keyward.ssoPorts" -}}
{{- $ports := list 443 -}}
{{- range .Values.sso.providers -}}
{{- $issuer := .issuer | default "" -}}
{{- $port := regexFind ":[0-9]+$" (get (urlParse $issuer) "host") | trimPrefix ":" -}}
{{- if $port }}{{ $ports = append $ports (int $port) -}}
{{- else if hasPrefix "http:" $issuer }}{{ $ports = append $ports 80 }}{{ end -}}
{{- end -}}
{{- toYaml (uniq $ports) -}}
{{- end }}

{{/* The egress rules of a component: (list root component). */}}
{{- define "keyward.egress" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- include "keyward.dnsEgress" $root }}
{{- if has $component (list "backend" "worker") }}
{{ include "keyward.storesEgress" $root }}
{{- else if eq $component "migrate" }}
{{ include "keyward.databaseEgress" $root }}
{{- else }}
{{ include "keyward.toComponent" (list $root "backend" 8080) }}
{{- end }}
{{- if eq $component "test" }}
{{ include "keyward.toComponent" (list $root "frontend" 8080) }}
{{- end }}
{{- if and $root.Values.sso.providers (eq $component "backend") }}
{{ include "keyward.peers" (concat (list "to" $root.Values.networkPolicy.identityProviders) (include "keyward.ssoPorts" $root | fromYamlArray)) }}
{{- end }}
{{- if and $root.Values.tracing.endpoint (has $component (list "backend" "worker" "frontend")) }}
{{ include "keyward.peers" (list "to" $root.Values.networkPolicy.collector (include "keyward.collectorPort" $root | int)) }}
{{- end }}
{{- with $root.Values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "keyward.collectorPort" -}}
{{- $url := urlParse .Values.tracing.endpoint -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "https" | ternary "443" "80") -}}
{{- end }}

{{/* The ingress rules of a component: (list root component). The kubelet's probes need none. */}}
{{- define "keyward.ingressRules" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- if has $component (list "backend" "frontend") -}}
{{- with $root.Values.networkPolicy.from -}}
{{ include "keyward.peers" (list "from" (concat . (include "keyward.ownPods" $root | fromYamlArray)) 8080) }}
{{- else -}}
{{ include "keyward.peers" (list "from" list 8080) }}
{{- end -}}
{{- end -}}
{{- if and (has $component (list "backend" "frontend" "worker")) (include "keyward.hasMetrics" $root) }}
{{ include "keyward.peers" (list "from" $root.Values.networkPolicy.metricsFrom $root.Values.metrics.port) }}
{{- end -}}
{{- if eq $component "postgres" -}}
{{ include "keyward.fromComponents" (list $root 5432 (list "backend" "worker" "migrate")) }}
{{- if $root.Values.worker.keda.enabled }}
- ports:
    - {protocol: TCP, port: 5432}
  from:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: {{ $root.Values.worker.keda.namespace | quote }}
{{- end }}
{{- else if eq $component "redis" -}}
{{ include "keyward.fromComponents" (list $root 6379 (list "backend" "worker")) }}
{{- end -}}
{{- end }}

{{/* An ingress rule from the pods of components: (list root port components). */}}
{{- define "keyward.fromComponents" -}}
- ports:
    - {protocol: TCP, port: {{ index . 1 }}}
  from:
    {{- range $component := index . 2 }}
    - podSelector:
        matchLabels:
          {{- include "keyward.selector" (list (index $ 0) $component) | nindent 10 }}
    {{- end }}
{{- end }}

{{/* The frontend's gate and the pod of helm test ask backend and frontend. */}}
{{- define "keyward.ownPods" -}}
{{- range $component := list "frontend" "test" }}
- podSelector:
    matchLabels:
      {{- include "keyward.selector" (list $ $component) | nindent 6 }}
{{- end }}
{{- end }}
