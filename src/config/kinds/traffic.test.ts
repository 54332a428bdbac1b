import { describeRules } from "../../testing/config/kind-rules.ts";

const server = (tls: string): string =>
  `{servers: [{port: {number: 443, name: https, protocol: HTTPS}, hosts: ["*"], tls: {${tls}}}]}`;

describeRules("Gateway", [
  [server("mode: SIMPLE, credentialName: a")],
  [server("mode: SIMPLE, tlsCertificates: [{serverCertificate: a, privateKey: b}]")],
  [
    server("mode: SIMPLE, tlsCertificates: [{serverCertificate: a}]"),
    "missing-certificate servers[0].tls.tlsCertificates[0].privateKey",
  ],
  [server("mode: SIMPLE, credentialName: a, credentialNames: [b]"), "conflicting-fields servers[0].tls"],
  [server("mode: SIMPLE, credentialName: a, serverCertificate: b, privateKey: c"), "conflicting-fields servers[0].tls"],
  [
    server("mode: MUTUAL"),
    "missing-certificate servers[0].tls.serverCertificate",
    "missing-certificate servers[0].tls.privateKey",
    "missing-certificate servers[0].tls.caCertificates",
  ],
  [server("credentialName: a"), "useless-field servers[0].tls"],
  ['{servers: [{port: {number: 0, name: http, protocol: HTTP}, hosts: ["*"]}]}', "bad-port servers[0].port.number"],
]);
describeRules("Gateway", [[server("mode: ISTIO_MUTUAL"), "bad-name metadata.name"]], "a.b");

const tls = (settings: string): string => `{host: a, trafficPolicy: {tls: {${settings}}}}`;

describeRules("DestinationRule", [
  [tls("mode: DISABLE")],
  [tls("clientCertificate: a, privateKey: b"), "useless-tls trafficPolicy.tls"],
  [tls("mode: DISABLE, caCertificates: a"), "useless-tls trafficPolicy.tls"],
  [tls("credentialName: a"), "useless-tls trafficPolicy.tls"],
  [
    tls("mode: MUTUAL"),
    "missing-certificate trafficPolicy.tls.clientCertificate",
    "missing-certificate trafficPolicy.tls.privateKey",
  ],
  [tls("mode: SIMPLE, credentialName: a, caCertificates: b"), "conflicting-fields trafficPolicy.tls"],
  [tls("mode: SIMPLE, credentialName: configmap://default/a")],
  [tls("mode: SIMPLE, credentialName: configmap://other/a"), "bad-namespace trafficPolicy.tls.credentialName"],
  [tls("mode: MUTUAL, credentialName: configmap://a"), "bad-namespace trafficPolicy.tls.credentialName"],
  [tls("mode: SIMPLE, credentialName: configmap://default/"), "bad-namespace trafficPolicy.tls.credentialName"],
  [
    "{host: a, subsets: [{name: a, trafficPolicy: {portLevelSettings: [{port: {number: 1}, tls: {mode: SIMPLE, credentialName: configmap://b/a}}]}}]}",
    "bad-namespace subsets[0].trafficPolicy.portLevelSettings[0].tls.credentialName",
  ],
  [tls("mode: SIMPLE, insecureSkipVerify: true")],
  [
    tls("mode: SIMPLE, insecureSkipVerify: true, subjectAltNames: [a]"),
    "conflicting-fields trafficPolicy.tls.insecureSkipVerify",
  ],
  [
    `{host: a, trafficPolicy: {loadBalancer: {consistentHash: {httpCookie: {name: a, ttl: 1s, attributes: [{}, {name: b}, {name: b}]}}}}}`,
    "missing-value trafficPolicy.loadBalancer.consistentHash.httpCookie.attributes[0].name",
    "duplicate-value trafficPolicy.loadBalancer.consistentHash.httpCookie.attributes[2].name",
  ],
]);

const route = (fields: string): string => `{hosts: [a], http: [{route: [{destination: {host: a}}], ${fields}}]}`;

describeRules("VirtualService", [
  [route("fault: {abort: {httpStatus: 500, percentage: {value: 0.0001}}}")],
  [
    route("fault: {abort: {httpStatus: 500, percentage: {value: 0.00001}}}"),
    "bad-percentage http[0].fault.abort.percentage.value",
  ],
  ["{hosts: [a], gateways: [a.b, c/d/e], tcp: [{route: [{destination: {host: a}}]}]}", "bad-gateway gateways[1]"],
  [route("mirror: {host: b}, mirrorPercentage: {value: 101}"), "bad-percentage http[0].mirrorPercentage.value"],
  [route('corsPolicy: {allowOrigin: ["*", https://a.com:8080, b.com]}')],
  [route("corsPolicy: {allowOrigin: [a b, https://a.com:80]}"), "bad-origin http[0].corsPolicy.allowOrigin[0]"],
  [route("corsPolicy: {allowOrigin: [https://a.com:70000]}"), "bad-origin http[0].corsPolicy.allowOrigin[0]"],
]);

const ingress = (protocol: string, settings: string): string =>
  `{ingress: [{port: {number: 443, protocol: ${protocol}}, tls: {${settings}}}]}`;

describeRules("Sidecar", [
  ["{egress: [{hosts: ['*/a b']}]}", "bad-host egress[0].hosts[0]"],
  ["{workloadSelector: {}, egress: [{hosts: ['*/*']}]}", "empty-selector workloadSelector"],
  [ingress("HTTPS", "mode: SIMPLE, serverCertificate: a, privateKey: b")],
  [ingress("HTTP", "mode: SIMPLE, serverCertificate: a, privateKey: b"), "useless-tls ingress[0].tls"],
  [ingress("TLS", "mode: ISTIO_MUTUAL"), "unsupported-field ingress[0].tls.mode"],
  [ingress("TLS", "mode: SIMPLE, credentialName: a"), "unsupported-field ingress[0].tls"],
  [
    ingress("TLS", "mode: SIMPLE"),
    "missing-certificate ingress[0].tls.serverCertificate",
    "missing-certificate ingress[0].tls.privateKey",
  ],
]);

const proxy = (fields: string): string => `{defaultConfig: {${fields}}}`;

describeRules("MeshConfig", [
  [proxy("drainDuration: 45s, discoveryAddress: istiod.istio-system.svc:15012, proxyAdminPort: 15000")],
  [proxy("drainDuration: 1500ms"), "bad-duration defaultConfig.drainDuration"],
  [proxy("drainDuration: 2h"), "bad-duration defaultConfig.drainDuration"],
  [proxy("discoveryAddress: istiod"), "bad-address defaultConfig.discoveryAddress"],
  [proxy("discoveryAddress: istiod:0"), "bad-address defaultConfig.discoveryAddress"],
  [proxy("statsdUdpAddress: ':80'"), "bad-address defaultConfig.statsdUdpAddress"],
  [proxy("proxyAdminPort: 70000"), "bad-port defaultConfig.proxyAdminPort"],
  [proxy("tracing: {zipkin: {address: zipkin:9411}, sampling: 1}")],
  [proxy('tracing: {datadog: {address: "$(HOST_IP):8126"}}')],
  [proxy("tracing: {zipkin: {}}"), "missing-value defaultConfig.tracing.zipkin.address"],
  [proxy("tracing: {lightstep: {address: a}}"), "bad-address defaultConfig.tracing.lightstep.address"],
  [proxy("tracing: {sampling: 200}"), "bad-percentage defaultConfig.tracing.sampling"],
  [proxy("parentShutdownDuration: 60s"), "removed-field defaultConfig.parentShutdownDuration"],
  ["{connectTimeout: 31s}", "bad-duration connectTimeout"],
  ["{proxyListenPort: 70000}", "bad-port proxyListenPort"],
]);
