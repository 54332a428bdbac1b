{{/* Labels of every object. */}}
{{- define "binnacle.labels" -}}
app.kubernetes.io/name: binnacle
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/*
The objects of a file that deploy/kubernetes has too, with the labels, in the namespace of the release. The argument is a
list: the root context and the path of the file.
*/}}
{{- define "binnacle.objects" -}}
{{- $root := index . 0 }}
{{- $labels := fromYaml (include "binnacle.labels" $root) }}
{{- range splitList "\n---\n" ($root.Files.Get (index . 1)) }}
{{- $object := fromYaml (. | replace "namespace: binnacle-system" (printf "namespace: %s" $root.Release.Namespace)) }}
{{- $_ := set $object.metadata "labels" (merge (default dict $object.metadata.labels) $labels) }}
{{- if has $object.kind (list "Role" "RoleBinding") }}
{{- $_ := set $object.metadata "namespace" $root.Release.Namespace }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
