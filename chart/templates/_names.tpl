{{/* The first part of every name. A Service's name may not begin with a digit nor hold a dot; a release's may. */}}
{{- define "keyward.fullname" -}}
{{- $chart := .Values.nameOverride | default .Chart.Name -}}
{{- $own := contains $chart .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $chart) -}}
{{- $name := .Values.fullnameOverride | default $own | replace "." "-" -}}
{{- if regexMatch "^[0-9]" $name }}{{ $name = printf "k-%s" $name }}{{ end -}}
{{- include "keyward.fit" (list $name 63) -}}
{{- end }}

{{/* The name of one object: (list root suffix). 52 characters at most: a StatefulSet adds eleven to its pods' label. */}}
{{- define "keyward.name" -}}
{{- $suffix := index . 1 -}}
{{- $limit := sub 51 (len $suffix) | int -}}
{{- printf "%s-%s" (include "keyward.fit" (list (include "keyward.fullname" (index . 0)) $limit)) $suffix -}}
{{- end }}

{{/* A name cut to a length: (list name length). What is cut off goes on to tell two long names apart, by a hash. */}}
{{- define "keyward.fit" -}}
{{- $name := index . 0 -}}
{{- $limit := index . 1 | int -}}
{{- if gt (len $name) $limit -}}
{{- printf "%s-%s" (trunc (sub $limit 9 | int) $name | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end }}

{{/* The labels that select the pods of a component: (list root component). Quoted: a release may be called 0x10 or true. */}}
{{- define "keyward.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "keyward.fit" (list ($root.Values.nameOverride | default $root.Chart.Name) 63) | quote }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* The labels of a component's pods; those that select them stay: (list root component labels-of-its-own). */}}
{{- define "keyward.podLabels" -}}
{{- merge (include "keyward.selector" . | fromYaml) (index . 2 | default dict) ((index . 0).Values.commonLabels | default dict) | toYaml -}}
{{- end }}

{{/* The labels and annotations of an object: (list root component annotations). */}}
{{- define "keyward.metadata" -}}
{{- $root := index . 0 -}}
{{- $standard := dict
  "app.kubernetes.io/part-of" "keyward"
  "app.kubernetes.io/version" $root.Chart.AppVersion
  "app.kubernetes.io/managed-by" $root.Release.Service
  "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
-}}
labels:
  {{- merge (include "keyward.selector" . | fromYaml) ($root.Values.commonLabels | default dict) $standard | toYaml | nindent 2 }}
{{- with merge (dict) (index . 2 | default dict) ($root.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The reference of an image: (list image default-tag). */}}
{{- define "keyward.image" -}}
{{- $image := index . 0 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default (index . 1)) -}}
{{- end -}}
{{- end }}

{{- define "keyward.appImage" -}}
image: {{ include "keyward.image" (list .Values.image .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "keyward.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "keyward.fullname" .) "default") -}}
{{- end }}
