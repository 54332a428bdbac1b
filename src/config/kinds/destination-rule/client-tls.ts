import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { error, errorUnless } from "../../finding.ts";
import type { Finding } from "../../kind.ts";

export function clientTls(tls: ClientTLSSettings | undefined, path: string): readonly Finding[] {
  if (tls === undefined) return [];
  const { mode, clientCertificate, privateKey, caCertificates, credentialName } = tls;
  const files = clientCertificate !== "" || privateKey !== "";
  if (mode === Mode.ISTIO_MUTUAL) {
    return errorUnless(!files && caCertificates === "" && credentialName === "", path, {
      code: "conflicting-fields",
      message: "ISTIO_MUTUAL uses the mesh's own certificates; none may be named here",
    });
  }
  if (mode !== Mode.MUTUAL) return [];
  if (credentialName !== "") {
    return errorUnless(!files && caCertificates === "", path, {
      code: "conflicting-fields",
      message: "credentialName cannot stand beside files of certificates",
    });
  }
  return [
    ...(clientCertificate === "" ? [missing(`${path}.clientCertificate`)] : []),
    ...(privateKey === "" ? [missing(`${path}.privateKey`)] : []),
  ];
}

function missing(path: string): Finding {
  return error(path, {
    code: "missing-certificate",
    message: `MUTUAL needs ${path.slice(path.lastIndexOf(".") + 1)}`,
    hint: "name both files, or a credentialName",
  });
}
