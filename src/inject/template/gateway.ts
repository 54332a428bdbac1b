import { proxyContainer, revisionLabel } from "../names.ts";
import { proxyImage } from "./image.ts";
import { canonicalLabels, defaultContainer } from "./pod-labels.ts";
import { proxyArgs, proxyEnv } from "./proxy-env.ts";
import { optional, type PodTemplate, type TemplateInput } from "./template-input.ts";
import { proxyVolumeMounts, proxyVolumes, pullSecrets } from "./volumes.ts";

/** A proxy alone in its pod. The user's own `istio-proxy` container, with the image `auto`, customises it. */
export function gatewayTemplate(input: TemplateInput): PodTemplate {
  const { settings } = input;
  const { proxy } = settings;
  return {
    labels: canonicalLabels(input),
    annotations: { [revisionLabel]: settings.revision || "default", ...defaultContainer(input) },
    spec: {
      // Lets the proxy listen on ports below 1024 without a capability.
      securityContext: { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] },
      containers: [
        {
          name: proxyContainer,
          image: proxyImage(input),
          ports: [{ containerPort: 15_090, protocol: "TCP", name: "http-envoy-prom" }],
          args: proxyArgs(input, "router"),
          ...optional("lifecycle", proxy.lifecycle),
          securityContext: { runAsUser: 1337, runAsGroup: 1337 },
          env: proxyEnv(input, "router"),
          ...optional("imagePullPolicy", settings.pullPolicy),
          readinessProbe: {
            httpGet: { path: "/healthz/ready", port: 15_021 },
            initialDelaySeconds: proxy.readinessInitialDelaySeconds,
            periodSeconds: proxy.readinessPeriodSeconds,
            timeoutSeconds: 3,
            failureThreshold: proxy.readinessFailureThreshold,
          },
          volumeMounts: proxyVolumeMounts(input, "router"),
        },
      ],
      volumes: proxyVolumes(input, "router"),
      ...pullSecrets(input),
    },
  };
}
