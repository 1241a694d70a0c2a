import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0013_sleeping_sessions'),
    ]

    operations = [
        migrations.AddField(
            model_name='modelcall',
            name='compaction',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='agents.compactionrecord'),
        ),
        migrations.AlterField(
            model_name='modelcall',
            name='turn',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='agents.turn'),
        ),
        migrations.AddConstraint(
            model_name='modelcall',
            constraint=models.UniqueConstraint(fields=('compaction', 'ordinal'), name='model_call_of_rollover_once'),
        ),
        migrations.AddConstraint(
            model_name='modelcall',
            constraint=models.CheckConstraint(condition=models.Q(('turn__isnull', True), ('compaction__isnull', True), _connector='XOR'), name='model_call_for_one_thing'),
        ),
    ]
