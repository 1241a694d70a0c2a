"""Settings of a product under drills: the product's own, with an agent that watches over its turns."""

from contextsite.settings import *  # noqa: F403

AGENT_CONNECTORS = {"drill": "tests.drills.agent.connector"}
CELERY_IMPORTS = ["tests.drills.steps"]
