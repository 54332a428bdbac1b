import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { ClientTls } from "../../model/traffic/destination-rule.ts";

const modes: Readonly<Record<Mode, ClientTls["mode"]>> = {
  [Mode.DISABLE]: "disable",
  [Mode.SIMPLE]: "simple",
  [Mode.MUTUAL]: "mutual",
  [Mode.ISTIO_MUTUAL]: "istio-mutual",
};

export function clientTlsOf(settings: ClientTLSSettings): ClientTls {
  return {
    mode: modes[settings.mode],
    clientCertificate: settings.clientCertificate,
    privateKey: settings.privateKey,
    caCertificates: settings.caCertificates,
    caCrl: settings.caCrl,
    credentialName: settings.credentialName,
    subjectAltNames: settings.subjectAltNames,
    sni: settings.sni,
    insecureSkipVerify: settings.insecureSkipVerify ?? false,
  };
}
