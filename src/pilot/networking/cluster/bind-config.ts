/**
 * Connections of these address families to the workload itself start here: the kernel's rules let them through, where
 * others would be redirected to the proxy again.
 */
const sources = { v4: "127.0.0.6", v6: "::6" } as const;

export function bindConfigOf([first, ...others]: readonly ["v4" | "v6", ...("v4" | "v6")[]]) {
  return {
    sourceAddress: anyPortOf(sources[first]),
    extraSourceAddresses: others.map((family) => ({ address: anyPortOf(sources[family]) })),
  };
}

function anyPortOf(address: string) {
  return { address, portSpecifier: { case: "portValue", value: 0 } } as const;
}
