{{/* The host of `host`, without scheme and port. */}}
{{- define "keyward.hostname" -}}
{{- regexReplaceAll "^([a-zA-Z]+://)?(\\[[^]]*\\]|[^:/]*).*$" .Values.host "${2}" | lower -}}
{{- end }}

{{/* Says yes to a host that the program takes: a name, an IPv4 address, an IPv6 address in brackets. */}}
{{- define "keyward.isHost" -}}
{{- $host := lower . -}}
{{- $label := "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?" -}}
{{- $pattern := printf "^%s(\\.%s)*$" $label $label -}}
{{- if hasPrefix "[" $host -}}
{{- $pattern = "^\\[[0-9a-f:.]+\\]$" -}}
{{- else if regexMatch "(^|\\.)([0-9]+|0x[0-9a-f]*)$" $host -}}
{{- /* What ends in a number is an IPv4 address in a URL, or nothing. */ -}}
{{- $byte := "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])" -}}
{{- $pattern = printf "^%s(\\.%s){3}$" $byte $byte -}}
{{- end -}}
{{- if and (le (len $host) 253) (regexMatch $pattern $host) }}yes{{ end -}}
{{- end }}

{{/* Says yes to a host, host:port or origin that the program takes. */}}
{{- define "keyward.isAddress" -}}
{{- $address := contains "://" . | ternary (trimSuffix "/" .) . -}}
{{- $form := "^(?i:https?://)?(\\[[^]]*\\]|[^:/]+)(:([0-9]{1,5}))?$" -}}
{{- if regexMatch $form $address -}}
{{- $port := regexReplaceAll $form $address "${3}" | default "80" | atoi -}}
{{- if and (ge $port 1) (le $port 65535) }}{{ include "keyward.isHost" (regexReplaceAll $form $address "${1}") }}{{ end -}}
{{- end -}}
{{- end }}

{{/* The scheme of `host`, as the program takes it. */}}
{{- define "keyward.scheme" -}}
{{- if contains "://" .Values.host -}}
{{- .Values.host | splitList "://" | first | lower -}}
{{- else -}}
{{- regexMatch "^(localhost|.*\\.localhost|127\\.[0-9.]+|\\[::1\\])$" (include "keyward.hostname" .) | ternary "http" "https" -}}
{{- end -}}
{{- end }}

{{/* The public origin: scheme, host, and the port where one is given. */}}
{{- define "keyward.origin" -}}
{{- printf "%s://%s" (include "keyward.scheme" .) (.Values.host | splitList "://" | last | trimSuffix "/" | lower) -}}
{{- end }}

{{/* ALLOWED_HOSTS: the public host, further ones, and the names of the Services in the cluster. */}}
{{- define "keyward.allowedHosts" -}}
{{- $hosts := concat (list (include "keyward.hostname" .)) (.Values.extraHosts | default list) -}}
{{- range $component := list "backend" "frontend" -}}
{{- $name := include "keyward.name" (list $ $component) -}}
{{- $space := $.Release.Namespace -}}
{{- range list $name (printf "%s.%s" $name $space) (printf "%s.%s.svc" $name $space) (printf "%s.%s.svc.%s" $name $space $.Values.clusterDomain) -}}
{{- /* A namespace may be called 2024, but no host ends so. */ -}}
{{- if include "keyward.isHost" . }}{{ $hosts = append $hosts . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $hosts | uniq | join "," -}}
{{- end }}

{{- define "keyward.allowedOrigins" -}}
{{- concat (list (include "keyward.origin" .)) (.Values.extraOrigins | default list) | uniq | join "," -}}
{{- end }}

{{/* The hosts that are routed, as a YAML list: Ingress and HTTPRoute write *.example.org for subdomains and know no ports and addresses. */}}
{{- define "keyward.routedHosts" -}}
{{- $hosts := list (include "keyward.hostname" .) -}}
{{- range .Values.extraHosts -}}
{{- $host := regexReplaceAll ":[0-9]+$" . "" | lower -}}
{{- if hasPrefix "." $host -}}
{{- $hosts = append $hosts (printf "*%s" $host) -}}
{{- else if not (or (contains ":" $host) (regexMatch "^[0-9.]+$" $host)) -}}
{{- $hosts = append $hosts $host -}}
{{- end -}}
{{- end -}}
{{- $hosts | uniq | toYaml -}}
{{- end }}

{{/* The paths that the backend answers; everything else is the frontend's. */}}
{{- define "keyward.backendPaths" -}}
- /v1
- /service
- /public
- /swagger
- /api/auth/callback
{{- end }}

{{- define "keyward.trustedProxies" -}}
{{- if .Values.trustedProxies -}}
{{- join "," .Values.trustedProxies -}}
{{- else if or .Values.ingress.enabled .Values.httpRoute.enabled -}}
private
{{- end -}}
{{- end }}
