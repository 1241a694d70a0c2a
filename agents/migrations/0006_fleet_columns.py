from django.db import migrations, models
from django.db.models import Case, Q, When

BUSY = ("queued", "running", "compacting")


def fill(apps, schema_editor):
    """Give stored sessions the columns that their settings and last budget say."""
    sessions = apps.get_model("agents", "AgentSession").objects
    for session in sessions.only("settings", "last_budget").iterator(chunk_size=200):
        budget, use = session.last_budget, 0.0
        if budget:
            tools = budget["breakdown"]["tools"]
            room = max(1, max(1, budget["maxTokens"]) - budget["responseReserve"] - tools)
            use = 100 * (budget["totalUsed"] - tools) / room
        model = str(session.settings.get("model", ""))[:100]
        sessions.filter(pk=session.pk).update(model=model, context_use=use)


class Migration(migrations.Migration):
    dependencies = [("agents", "0005_model_calls")]

    operations = [
        migrations.AddField("agentsession", "model", models.CharField(blank=True, max_length=100, default=""), preserve_default=False),
        migrations.AddField("agentsession", "archived_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("agentsession", "context_use", models.FloatField(default=0)),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
