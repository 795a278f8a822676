{{/* The Deployment of backend, frontend or worker: (list root component). */}}
{{- define "keyward.workload" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $v := $root.Values -}}
{{- $own := index $v $component -}}
{{- $scaled := or $own.autoscaling.enabled (dig "keda" "enabled" false $own) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "keyward.name" . }}
  namespace: {{ $root.Release.Namespace | quote }}
  {{- include "keyward.metadata" (list $root $component (merge dict ($own.annotations | default dict) (include "keyward.reloader" . | fromYaml))) | nindent 2 }}
spec:
  {{- if not $scaled }}
  replicas: {{ $own.replicas }}
  {{- end }}
  minReadySeconds: {{ $v.rollout.minReadySeconds }}
  revisionHistoryLimit: {{ $v.rollout.revisionHistoryLimit }}
  # The pods wait for the migration: as long as it may still succeed, so may the roll-out.
  progressDeadlineSeconds: {{ add $v.migration.activeDeadlineSeconds 600 }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "keyward.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "keyward.podLabels" (append . $own.podLabels) | nindent 8 }}
      annotations:
        {{- include "keyward.checksums" . | nindent 8 }}
        {{- with $v.restartToken }}
        keyward/restart-token: {{ . | quote }}
        {{- end }}
        {{- with $own.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "keyward.podBase" (list $root $own $v.runAsUser) | nindent 6 }}
      {{- with $own.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
      topologySpreadConstraints:
        {{- if $own.topologySpreadConstraints }}
        {{- toYaml $own.topologySpreadConstraints | nindent 8 }}
        {{- else }}
        {{- include "keyward.spread" . | nindent 8 }}
        {{- end }}
      terminationGracePeriodSeconds: {{ $v.rollout.terminationGracePeriodSeconds }}
      initContainers:
        {{- include "keyward.gate" . | nindent 8 }}
      containers:
        {{- include "keyward.mainContainer" . | nindent 8 }}
      volumes:
        {{- include "keyward.workloadVolumes" . | nindent 8 }}
{{- end }}

{{/* What Reloader watches for a component: (list root component). A change in what the chart makes restarts it already. */}}
{{- define "keyward.reloader" -}}
{{- if (index . 0).Values.reloader.enabled -}}
{{- $configMaps := list -}}
{{- range include "keyward.casOf" . | fromYaml }}{{ $configMaps = append $configMaps .existingConfigMap }}{{ end -}}
secret.reloader.stakater.com/auto: "true"
{{- with compact $configMaps | uniq }}
configmap.reloader.stakater.com/reload: {{ join "," . | quote }}
{{- end }}
{{- end -}}
{{- end }}

{{- define "keyward.spread" -}}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "keyward.selector" $ | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}

{{/* The variables that were given for all components and for one: (list root component). */}}
{{- define "keyward.extraEnv" -}}
{{- $v := (index . 0).Values -}}
{{- concat ($v.extraEnv | default list) ((index $v (index . 1)).extraEnv | default list) | toYaml -}}
{{- end }}

{{- define "keyward.mainContainer" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $own := index $root.Values $component -}}
- name: {{ $component }}
  {{- include "keyward.appImage" $root | nindent 2 }}
  args: [{{ $component }}]
  ports:
    - name: http
      containerPort: 8080
    {{- if include "keyward.hasMetrics" $root }}
    - name: metrics
      containerPort: {{ $root.Values.metrics.port }}
    {{- end }}
  envFrom:
    - configMapRef:
        name: {{ include "keyward.name" . }}
  {{- with include "keyward.extraEnv" . | fromYamlArray }}
  env:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- include "keyward.probes" . | nindent 2 }}
  lifecycle:
    preStop:
      sleep:
        seconds: {{ $root.Values.rollout.preStopSeconds }}
  {{- include "keyward.containerSecurity" $root | nindent 2 }}
  resources:
    {{- toYaml $own.resources | nindent 4 }}
  volumeMounts:
    {{- include "keyward.mounts" (list $root $component "secrets") | nindent 4 }}
    {{- with $own.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* Alive says the process; ready says what it needs: the database, or for the frontend the console under its own host. */}}
{{- define "keyward.probes" -}}
{{- $root := index . 0 -}}
{{- $frontend := eq (index . 1) "frontend" -}}
{{- $probes := $root.Values.probes -}}
{{- range $kind := list "startup" "liveness" "readiness" }}
{{ $kind }}Probe:
  httpGet:
    {{- if ne $kind "readiness" }}
    path: {{ $frontend | ternary "/api/health" "/service/health/" }}
    {{- else if $frontend }}
    path: /
    httpHeaders:
      - name: Host
        value: {{ include "keyward.hostname" $root | quote }}
    {{- else }}
    path: /service/ready/
    {{- end }}
    port: http
  {{- toYaml (index $probes $kind) | nindent 2 }}
{{- end }}
{{- end }}

{{- define "keyward.workloadVolumes" -}}
{{- $root := index . 0 -}}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- with include "keyward.secretsVolume" (append . "secrets") }}
{{ . }}
{{- end }}
{{- if ne (index . 1) "frontend" }}
{{- /* What the gate needs, which is less than the component has. */}}
{{ include "keyward.secretsVolume" (list $root "migrate" "database-secret") }}
{{- end }}
{{- with include "keyward.caVolume" . }}
{{ . }}
{{- end }}
{{- with (index $root.Values (index . 1)).extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
