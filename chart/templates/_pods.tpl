{{/* What every pod has in common, under `spec`: (list root values-of-the-pod user). */}}
{{- define "keyward.podBase" -}}
{{- $root := index . 0 -}}
serviceAccountName: {{ include "keyward.serviceAccount" $root | quote }}
automountServiceAccountToken: false
# A Service called redis would otherwise put REDIS_PORT=tcp://… into the environment.
enableServiceLinks: false
{{- include "keyward.pullSecrets" $root }}
{{- include "keyward.podSecurity" (and (not $root.Values.openshift) (index . 2)) | nindent 0 }}
{{- include "keyward.placement" . }}
{{- end }}

{{- define "keyward.pullSecrets" }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  {{- if kindIs "string" . }}
  - name: {{ . | quote }}
  {{- else }}
  - name: {{ .name | quote }}
  {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Takes the user that the containers run as; null leaves it to the platform. */}}
{{- define "keyward.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  {{- with . }}
  runAsUser: {{ . | int64 }}
  runAsGroup: {{ . | int64 }}
  fsGroup: {{ . | int64 }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "keyward.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities:
    drop: [ALL]
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{/* Where the pod may run: its own values, else those of all pods. */}}
{{- define "keyward.placement" }}
{{- $v := (index . 0).Values }}
{{- $own := index . 1 }}
{{- with $own.nodeSelector | default $v.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.affinity | default $v.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.tolerations | default $v.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The mounts of a container that acts as a component: (list root component volume-of-its-secrets). */}}
{{- define "keyward.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if include "keyward.secretsOf" . | fromYaml }}
- name: {{ index . 2 }}
  mountPath: {{ include "keyward.secretsFolder" (index . 0) }}
  readOnly: true
{{- end }}
{{- if include "keyward.casOf" . | fromYaml }}
- name: ca
  mountPath: {{ include "keyward.caFolder" (index . 0) }}
  readOnly: true
{{- end }}
{{- end }}

{{/* The container that holds a component back until the schema is there: (list root component). */}}
{{- define "keyward.gate" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
- name: wait-for-schema
  {{- include "keyward.appImage" $root | nindent 2 }}
  args:
    - migrate
    - --wait
    {{- if eq $component "frontend" }}
    - --via
    - http://{{ include "keyward.name" (list $root "backend") }}:{{ $root.Values.backend.service.port }}/service/ready/
    {{- end }}
    - --timeout
    - {{ $root.Values.migration.waitSeconds | quote }}
  {{- if ne $component "frontend" }}
  envFrom:
    - configMapRef:
        name: {{ include "keyward.name" (list $root "migrate") }}
  {{- end }}
  {{- include "keyward.containerSecurity" $root | nindent 2 }}
  resources:
    {{- toYaml $root.Values.migration.resources | nindent 4 }}
  volumeMounts:
    {{- if eq $component "frontend" }}
    - name: tmp
      mountPath: /tmp
    {{- else }}
    {{- include "keyward.mounts" (list $root "migrate" "database-secret") | nindent 4 }}
    {{- end }}
{{- end }}
