/** Two more namespaces beside the bookinfo example, so that the graph of calls has something to show. */
export const moreNamespaces = `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: ledger, namespace: payments }
spec:
  hosts: [ledger.payments.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{ number: 9080, name: http, protocol: HTTP }]
  endpoints: [{ address: 10.3.0.7 }, { address: 10.3.0.8 }]
---
# Only the shop may use the ledger.
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: { name: from-the-shop, namespace: payments }
spec:
  rules: [{ from: [{ source: { namespaces: [bookinfo] } }] }]
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: { name: monthly, namespace: reports }
spec:
  hosts: [monthly.reports.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{ number: 9080, name: http, protocol: HTTP }]
  endpoints: [{ address: 10.4.0.7 }]
---
# Reports call nobody else.
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: { name: default, namespace: reports }
spec:
  egress: [{ hosts: [./*] }]
`;

/** Its second subset is in no DestinationRule. */
export const brokenRoute = `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: ratings
  namespace: bookinfo
spec:
  hosts: [ratings]
  http:
    - route:
        - destination: { host: ratings }
          weight: 90
        - destination: { host: ratings, subset: v9 }
          weight: 10
`;
