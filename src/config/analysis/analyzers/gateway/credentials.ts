import type { Gateway } from "#gen/istio/networking/v1alpha3/gateway_pb.js";

/** A secret that a server of a gateway names. */
export interface PlacedCredential {
  readonly name: string;
  readonly path: string;
  readonly holds: "certificate" | "authority";
}

/** Every credential of a gateway that is a secret of its namespace. Other credentials come from elsewhere. */
export function credentialsOf({ servers }: Gateway): readonly PlacedCredential[] {
  const named = servers.flatMap(({ tls }, index): readonly PlacedCredential[] => {
    if (tls === undefined) return [];
    const path = `spec.servers[${index}].tls`;
    return [
      { name: tls.credentialName, path: `${path}.credentialName`, holds: "certificate" },
      ...tls.credentialNames.map((name, at) => {
        return { name, path: `${path}.credentialNames[${at}]`, holds: "certificate" } as const;
      }),
      { name: tls.caCertCredentialName, path: `${path}.caCertCredentialName`, holds: "authority" },
    ];
  });
  const local = named.map((credential) => ({ ...credential, name: credential.name.replace(/^kubernetes:\/\//u, "") }));
  return local.filter(({ name }) => name !== "" && !name.includes("/"));
}
