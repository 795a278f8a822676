{{/* Values that each are right but contradict each other or can't be used: refused in a sentence. */}}
{{- define "keyward.checks" -}}
{{- $v := .Values -}}
{{- if not $v.host -}}
{{- fail "host is not set: set it to the public host name, such as --set host=keyward.example.org." -}}
{{- end -}}
{{- if not (include "keyward.isAddress" $v.host) -}}
{{- fail (printf "host is %q; it must be a host name, host:port or an origin, such as keyward.example.org or https://keyward.example.org." $v.host) -}}
{{- end -}}
{{- range $v.extraHosts -}}
{{- $isRight := hasPrefix "." . | ternary (include "keyward.isHost" (printf "any%s" .)) (include "keyward.isAddress" .) -}}
{{- if or (contains "/" .) (not $isRight) -}}
{{- fail (printf "extraHosts contains %q; each entry must be a host name, or .example.org for the subdomains of example.org." .) -}}
{{- end -}}
{{- end -}}
{{- range $v.extraOrigins -}}
{{- if not (and (contains "://" .) (include "keyward.isAddress" .)) -}}
{{- fail (printf "extraOrigins contains %q; each entry must be an origin such as https://tools.example.org, without a path." .) -}}
{{- end -}}
{{- end -}}
{{- range $v.trustedProxies -}}
{{- if not (regexMatch "^(private|[0-9.]+(/[0-9]+)?|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(/[0-9]+)?)$" .) -}}
{{- fail (printf "trustedProxies contains %q; each entry must be a CIDR such as 10.0.0.0/8, or the word private." .) -}}
{{- end -}}
{{- end -}}
{{- if not (include "keyward.isHost" ($v.clusterDomain | default "")) -}}
{{- fail "clusterDomain must be a domain, such as cluster.local." -}}
{{- end -}}
{{- include "keyward.routeChecks" . -}}
{{- include "keyward.storeChecks" . -}}
{{- include "keyward.ssoChecks" . -}}
{{- include "keyward.secretChecks" . -}}
{{- include "keyward.monitoringChecks" . -}}
{{- include "keyward.workloadChecks" . -}}
{{- end }}

{{- define "keyward.routeChecks" -}}
{{- $v := .Values -}}
{{- if and $v.ingress.enabled $v.ingress.tls.enabled (eq (include "keyward.scheme" .) "http") -}}
{{- fail (printf "host is %q, which means http, but ingress.tls.enabled is true: give host as https://…, or turn ingress.tls.enabled off." $v.host) -}}
{{- end -}}
{{- if or $v.ingress.enabled $v.httpRoute.enabled -}}
{{- $host := include "keyward.hostname" . -}}
{{- if or (contains ":" $host) (regexMatch "^[0-9.]+$" $host) -}}
{{- fail (printf "host is %q: ingress and httpRoute need a host name, not an address." $v.host) -}}
{{- end -}}
{{- end -}}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
{{- fail "httpRoute.enabled is true, but httpRoute.parentRefs is empty: name the Gateway, such as httpRoute.parentRefs[0].name=public." -}}
{{- end -}}
{{- end }}

{{- define "keyward.storeChecks" -}}
{{- $v := .Values -}}
{{- if and $v.postgres.enabled $v.externalDatabase.host -}}
{{- fail "postgres.enabled is true and externalDatabase.host is set: set postgres.enabled=false to use the external database, or remove externalDatabase.host." -}}
{{- end -}}
{{- if not (or $v.postgres.enabled $v.externalDatabase.host) -}}
{{- fail "postgres.enabled is false and externalDatabase.host is empty: Keyward needs one of them." -}}
{{- end -}}
{{- if and $v.redis.enabled $v.externalRedis.host -}}
{{- fail "redis.enabled is true and externalRedis.host is set: set redis.enabled=false to use the external Redis, or remove externalRedis.host." -}}
{{- end -}}
{{- if and (include "keyward.hasCa" $v.externalDatabase.ca) $v.externalDatabase.sslMode (not (hasPrefix "verify-" $v.externalDatabase.sslMode)) -}}
{{- fail (printf "externalDatabase.ca is not checked with externalDatabase.sslMode=%s: set verify-ca or verify-full, or remove the certificate authority." $v.externalDatabase.sslMode) -}}
{{- end -}}
{{- if and (include "keyward.hasCa" $v.externalRedis.ca) (not $v.externalRedis.tls) -}}
{{- fail "externalRedis.ca needs externalRedis.tls=true." -}}
{{- end -}}
{{- if and $v.externalRedis.user $v.externalRedis.passwordless -}}
{{- fail "externalRedis.user needs a password: set externalRedis.passwordless=false, or remove the user." -}}
{{- end -}}
{{- if and (or $v.externalDatabase.sslMode (include "keyward.hasCa" $v.externalDatabase.ca)) (not $v.externalDatabase.host) -}}
{{- fail "externalDatabase.sslMode and externalDatabase.ca need externalDatabase.host." -}}
{{- end -}}
{{- range $name := list "tls" "user" "passwordless" -}}
{{- if and (get $v.externalRedis $name) (not $v.externalRedis.host) -}}
{{- fail (printf "externalRedis.%s needs externalRedis.host." $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $host := dict "externalDatabase.host" $v.externalDatabase.host "externalRedis.host" $v.externalRedis.host "smtp.host" $v.smtp.host -}}
{{- if and $host (not (regexMatch "^[0-9a-fA-F.]*(:[0-9a-fA-F.]*){2,7}$" $host)) (not (include "keyward.isHost" (trimSuffix "." $host))) -}}
{{- fail (printf "%s must be a host name or an IP address, without scheme and port." $name) -}}
{{- end -}}
{{- end -}}
{{- if and $v.smtp.host (not $v.smtp.from) -}}
{{- fail "smtp.host needs smtp.from, the e-mail address that mail is sent from." -}}
{{- end -}}
{{- if and $v.smtp.from (not $v.smtp.host) -}}
{{- fail "smtp.from needs smtp.host, the mail gateway." -}}
{{- end -}}
{{- if and $v.smtp.from (not (regexMatch "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$" $v.smtp.from)) -}}
{{- fail "smtp.from must be an e-mail address and nothing else, such as keyward@example.org." -}}
{{- end -}}
{{- if and $v.smtp.user (not $v.smtp.host) -}}
{{- fail "smtp.user needs smtp.host, the mail gateway." -}}
{{- end -}}
{{- if and (or $v.smtp.password.value $v.smtp.password.existingSecret) (not $v.smtp.user) -}}
{{- fail "smtp.password needs smtp.user." -}}
{{- end -}}
{{- if and (include "keyward.hasCa" $v.smtp.ca) (eq $v.smtp.tls "none") -}}
{{- fail "smtp.ca is not checked with smtp.tls=none: set starttls or tls, or remove the certificate authority." -}}
{{- end -}}
{{- range $name, $ca := dict "externalDatabase.ca" $v.externalDatabase.ca "externalRedis.ca" $v.externalRedis.ca "smtp.ca" $v.smtp.ca "sso.ca" $v.sso.ca "tracing.ca" $v.tracing.ca -}}
{{- if gt (len (compact (list $ca.pem $ca.existingConfigMap $ca.existingSecret))) 1 -}}
{{- fail (printf "%s names more than one of pem, existingConfigMap and existingSecret: leave one." $name) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "keyward.secretChecks" -}}
{{- $v := .Values -}}
{{- range $name := list "secretKey" "serverSecret" -}}
{{- $value := (index $v.secrets $name).value -}}
{{- if and $value (not (regexMatch "^[0-9a-fA-F]{64}$" $value)) -}}
{{- fail (printf "secrets.%s.value must be 64 hexadecimal characters, as openssl rand -hex 32 prints." $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $given := $v.secrets -}}
{{- if kindIs "map" $given -}}
{{- if and $given.value (or $given.existingSecret $v.secrets.existingSecret) -}}
{{- fail (printf "secrets.%s.value is given beside an existingSecret: leave one." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $where := dict "DATABASE_PASSWORD" "externalDatabase.host needs a password: set secrets.databasePassword.existingSecret or .value." "REDIS_PASSWORD" "externalRedis.host needs a password: set secrets.redisPassword.existingSecret or .value, or externalRedis.passwordless=true." "SMTP_PASSWORD" "smtp.user needs a password: set smtp.password.existingSecret or .value." -}}
{{- range $name, $row := include "keyward.secrets" . | fromYaml -}}
{{- if and (eq $row.origin "provided") (not $row.value) -}}
{{- fail (get $where $name | default (printf "%s is missing: set clientSecret.existingSecret or .value of that provider of sso.providers." $name)) -}}
{{- end -}}
{{- if regexMatch "[\r\n]" $row.value -}}
{{- fail (printf "The value given for %s contains a line break." $name) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "keyward.ssoChecks" -}}
{{- $v := .Values -}}
{{- $known := list "google" "github" "gitlab" "jumpcloud" -}}
{{- $providers := list -}}
{{- range $v.sso.providers -}}
{{- if has .name $providers -}}
{{- fail (printf "sso.providers names %s twice." .name) -}}
{{- end -}}
{{- $providers = append $providers .name -}}
{{- if not (or .issuer (has .name $known)) -}}
{{- fail (printf "sso.providers names %s without an issuer: set its issuer, as docs/single-sign-on.md shows it." .name) -}}
{{- end -}}
{{- $scheme := $v.sso.allowHttpIssuers | ternary "https?" "https" -}}
{{- if and .issuer (not (regexMatch (printf "^%s://[^/?#@ ]+(/[^?#@ ]*)?$" $scheme) .issuer)) -}}
{{- fail (printf "The issuer of %s in sso.providers must be an https:// address without credentials, query and fragment (http:// needs sso.allowHttpIssuers=true)." .name) -}}
{{- end -}}
{{- if and .scopes (ne .name "github") (not (has "openid" .scopes)) -}}
{{- fail (printf "The scopes of %s in sso.providers must contain openid." .name) -}}
{{- end -}}
{{- end -}}
{{- if and (include "keyward.hasCa" $v.sso.ca) (not $v.sso.providers) -}}
{{- fail "sso.ca needs sso.providers." -}}
{{- end -}}
{{- range $v.allowedEmailDomains -}}
{{- if not (include "keyward.isHost" (trimPrefix "." .)) -}}
{{- fail (printf "allowedEmailDomains contains %q; each entry must be a domain such as example.org, or .example.org for its subdomains." .) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "keyward.monitoringChecks" -}}
{{- $v := .Values -}}
{{- if and $v.serviceMonitor.enabled $v.podMonitor.enabled -}}
{{- fail "serviceMonitor.enabled and podMonitor.enabled are both true: the backend would be scraped twice, leave one." -}}
{{- end -}}
{{- if and $v.serviceMonitor.enabled (ne $v.backend.service.type "ClusterIP") -}}
{{- fail (printf "serviceMonitor.enabled needs backend.service.type=ClusterIP: a Service of type %s would open the metrics to the outside. Use podMonitor.enabled instead." $v.backend.service.type) -}}
{{- end -}}
{{- if and (not $v.tracing.endpoint) (or $v.tracing.headers.value $v.tracing.headers.existingSecret (include "keyward.hasCa" $v.tracing.ca)) -}}
{{- fail "tracing.headers and tracing.ca need tracing.endpoint, the collector." -}}
{{- end -}}
{{- if and $v.tracing.headers.value $v.tracing.headers.existingSecret -}}
{{- fail "tracing.headers.value is given beside an existingSecret: leave one." -}}
{{- end -}}
{{- end }}

{{- define "keyward.workloadChecks" -}}
{{- $v := .Values -}}
{{- if le (int $v.rollout.terminationGracePeriodSeconds) (add 20 $v.rollout.preStopSeconds | int) -}}
{{- fail (printf "rollout.terminationGracePeriodSeconds must be more than %d: rollout.preStopSeconds and the 20 seconds in which requests and jobs under way finish." (add 20 $v.rollout.preStopSeconds)) -}}
{{- end -}}
{{- if and $v.worker.autoscaling.enabled $v.worker.keda.enabled -}}
{{- fail "worker.autoscaling.enabled and worker.keda.enabled are both true: one autoscaler decides, leave one." -}}
{{- end -}}
{{- range $component := list "backend" "frontend" "worker" -}}
{{- $values := index $v $component -}}
{{- if and $values.autoscaling.enabled (gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas)) -}}
{{- fail (printf "%s.autoscaling.minReplicas is more than its maxReplicas." $component) -}}
{{- end -}}
{{- /* The program takes a name or its _FILE, and a URL or its parts, never both. */ -}}
{{- $urls := dict "DATABASE_HOST" (list "DATABASE_URL" "DATABASE_URL_FILE") "REDIS_HOST" (list "REDIS_URL" "REDIS_URL_FILE" "UPSTASH_REDIS_REST_URL") -}}
{{- $seen := list -}}
{{- range $name, $_ := include "keyward.config" (list $ $component) | fromYaml -}}
{{- $plain := trimSuffix "_FILE" $name -}}
{{- $seen = concat $seen (list $plain (printf "%s_FILE" $plain)) (get $urls $name | default list) -}}
{{- end -}}
{{- range include "keyward.extraEnv" (list $ $component) | fromYamlArray -}}
{{- if has .name $seen -}}
{{- fail (printf "extraEnv sets %s for the %s, which is there already, by this name or in another form: change the value of the chart that it comes from, or name it once." .name $component) -}}
{{- end -}}
{{- $seen = append $seen .name -}}
{{- end -}}
{{- end -}}
{{- if and $v.worker.keda.enabled (gt (int $v.worker.keda.minReplicas) (int $v.worker.keda.maxReplicas)) -}}
{{- fail "worker.keda.minReplicas is more than its maxReplicas." -}}
{{- end -}}
{{- end }}
