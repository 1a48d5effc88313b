# An image with the operator's code inside, for `new TrainingOperator(chart, 'Operator', { image })`. Build the code first: npm run bundle
FROM node:22.21.1-alpine3.22
COPY assets/operator.mjs /opt/trainyard/operator.mjs
USER 65532:65532
ENTRYPOINT ["node", "--max-semi-space-size=8", "/opt/trainyard/operator.mjs"]
