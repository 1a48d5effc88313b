# An image with the code of all programs inside. Build the code first: npm run bundle
# The operator starts by itself: `new TrainingOperator(chart, 'Operator', { image })`.
# The dashboard is started by its Deployment: `new TrainyardDashboard(chart, 'Dashboard', { image })`.
# So is the notifier: `new TrainyardNotifier(chart, 'Notifier', { image })`.
FROM node:22.21.1-alpine3.22
COPY assets/operator.mjs assets/dashboard.mjs assets/notifier.mjs /opt/trainyard/
USER 65532:65532
ENTRYPOINT ["node", "--max-semi-space-size=8", "/opt/trainyard/operator.mjs"]
