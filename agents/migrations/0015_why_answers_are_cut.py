from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0014_calls_of_rollovers'),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='cut',
            field=models.CharField(blank=True, choices=[('stopped', 'stopped here'), ('failed', 'broke off here'), ('provider', "cut off by the model's provider: its limit of length or its filter; ask it to go on"), ('silent', 'answered nothing')], default='', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='message',
            name='is_replaced',
            field=models.BooleanField(default=False),
        ),
    ]
